// The colours of drawings: those of the style sheet, light or dark.

/** Colours by what they are for; see :root in ../static/style.css. */
const NAMES = ["ink", "soft", "grid", "zero", "paper", "area", "accent"] as const;

export const theme = {} as Record<(typeof NAMES)[number], string>;

/** The colours of modes and laws, in their order; read anew by `adopt`. */
export const palette: string[] = [];

/** The numbers of colours that a dark page shows otherwise: dark blue, and black. */
const DARK: Record<number, string> = { 0: "#5a9bd5", 5: "#c77aa6", 6: "#f0f0f0" };

const dark = matchMedia("(prefers-color-scheme: dark)");

function read(colours: string[]): void {
  const style = getComputedStyle(document.documentElement);
  for (const name of NAMES) theme[name] = style.getPropertyValue(`--${name}`).trim();
  palette.splice(0, Infinity, ...colours.map((colour, i) => (dark.matches && DARK[i]) || colour));
}

/** Takes over the engine's colours, and calls back when the page turns light or dark. */
export function adopt(colours: string[], changed: () => void): void {
  read(colours);
  dark.addEventListener("change", () => {
    read(colours);
    changed();
  });
}

/** The parts of a colour. */
export const channels = (c: string) => [1, 3, 5].map((at) => parseInt(c.slice(at, at + 2), 16)) as [number, number, number];
