// The page's elements.

export const of = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

/** An element with a text. */
export function element<K extends keyof HTMLElementTagNameMap>(tag: K, text = "", kind = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  [made.textContent, made.className] = [text, kind];
  return made;
}

/** Whether the visitor wants little motion. */
export const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Copies a text, and says so; where a page may not, marks what shows it. */
export async function copy(text: string, home: HTMLElement, shown?: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    home.textContent = "Copied.";
  } catch {
    if (shown) getSelection()?.selectAllChildren(shown);
    home.textContent = shown ? "Marked: copy it with the keyboard." : "This page may not copy.";
  }
}

/** Hands a visitor a file. */
export function download(name: string, contents: Blob): void {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(contents), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
