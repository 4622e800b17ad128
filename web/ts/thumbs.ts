// Small pictures of the built-in scenes to choose from.

import { element } from "./dom";
import type { Post } from "./post";
import { Sheet } from "./sheet";
import { Eye, INK, WALL, box, sketch, still } from "./sketch";
import type { Listing, Scene } from "./types";

/** Scenes that come first: those that say most to a stranger. */
const FIRST = [
  "tailed-runner", "compass-gait", "box-and-wall", "humanoid", "disk-stack", "hand-on-box", "newtons-cradle", "cube-on-edge", "ramone", "quadruped-trot",
];

export class Thumbs {
  private readonly buttons = new Map<string, HTMLButtonElement>();
  private readonly scenes = new Map<string, Scene>();

  constructor(home: HTMLElement, { scenes }: Listing, chosen: (name: string) => void) {
    const place = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
    for (const { name, about } of [...scenes].sort((a, b) => place(a.name) - place(b.name))) {
      const button = element("button");
      button.append(document.createElement("canvas"), element("span", name.replaceAll("-", " ")));
      Object.assign(button, { type: "button", title: about, ariaPressed: "false" });
      button.dataset.scene = name;
      button.addEventListener("click", () => chosen(name));
      this.buttons.set(name, button);
      home.append(button);
    }
  }

  /** Marks the scene that is open. */
  mark(name: string | undefined): void {
    for (const [one, button] of this.buttons) button.ariaPressed = String(one === name);
  }

  /** Draws all scenes, one after the other. */
  async load(post: Post): Promise<void> {
    for (const name of this.buttons.keys()) {
      const wanted = { scene: name, text: "", set: [], seed: 0 };
      const scene = await post.send<Scene>({ kind: "ask", request: { ask: "open", wanted } }).catch(() => undefined);
      if (scene) this.scenes.set(name, scene);
      this.draw(name);
    }
  }

  redraw(): void {
    for (const name of this.scenes.keys()) this.draw(name);
  }

  /** Bodies and walls alone. */
  private draw(name: string): void {
    const scene = this.scenes.get(name);
    if (!scene?.scene) return;
    const sheet = new Sheet(this.buttons.get(name)!.querySelector("canvas")!);
    sheet.clear();
    const cones = scene.contacts.length;
    const parts = still(scene).filter(({ mark }) => mark !== "Ring");
    const areas = parts.filter(({ mark, colour }) => mark === "Area" && colour === WALL);
    const shown = parts.filter((part) => !areas.slice(areas.length - cones).includes(part));
    const normals = shown.filter(({ colour, mark, points }) => colour === INK && mark === "Line" && points.length === 5);
    const kept = shown.filter((part) => !normals.includes(part));
    sketch(sheet, new Eye(sheet, box(kept.flatMap(({ points }) => points)), 5), kept);
  }
}
