// The path of one sample, step by step.

import { calm, copy, of } from "./dom";
import { short } from "./numbers";
import type { Post } from "./post";
import { Sheet } from "./sheet";
import { Eye, box, label, sketch, still } from "./sketch";
import { palette } from "./theme";
import type { Path, Point, Scene, Wanted } from "./types";

/** What a contact does in a step, as the table shows it. */
const STATES: Record<string, string> = { open: "open", stick: "sticks", slide: "slides" };

export class ReplayView {
  step = 0;
  private path?: Path;
  private scene?: Scene;
  private run = 0;
  private timer = 0;
  private readonly sheet = new Sheet(of<HTMLCanvasElement>("replay-scene"));

  constructor(
    private readonly post: Post,
    private readonly changed: () => void,
  ) {
    of<HTMLInputElement>("step").addEventListener("input", ({ target }) => this.go(Number((target as HTMLInputElement).value)));
    of("play").addEventListener("click", () => (this.timer ? this.stop() : this.play()));
    of("copy").addEventListener("click", () => void copy(of("command").textContent!, of("copied"), of("command")));
  }

  forget(): void {
    this.run++;
    this.stop();
    this.path = undefined;
    of("replay").hidden = true;
    of("stage").hidden = false;
  }

  /** Computes the path of a sample, and plays it. */
  async show(wanted: Wanted, sample: number, scene: Scene): Promise<void> {
    const run = ++this.run;
    this.stop();
    try {
      const path = await this.post.send<Path>({ kind: "ask", wanted, request: { ask: "replay", sample } });
      if (run !== this.run) return;
      [this.path, this.scene, this.step] = [path, scene, 0];
      of("fault").textContent = "";
    } catch (error) {
      of("fault").textContent = (error as Error).message;
      return;
    }
    const { path, status, residual, command, file } = this.path;
    of("replay-title").textContent = `Sample ${sample}: ${status}, residual ${residual ? residual.toExponential(1) : 0}`;
    of("command").textContent = command;
    of<HTMLAnchorElement>("file").href = `data:application/json,${encodeURIComponent(file)}`;
    Object.assign(of<HTMLInputElement>("step"), { max: String(path.length), value: "0" });
    of("replay").hidden = false;
    of("stage").hidden = true;
    of("copied").textContent = "";
    of("replay-scene").parentElement!.hidden = scene.scene === null;
    if (calm.matches) this.go(path.length);
    else this.play();
  }

  private play(): void {
    if (!this.path) return;
    const last = this.path.path.length;
    if (this.step >= last) this.go(0);
    of("play").textContent = "Pause";
    this.timer = window.setInterval(() => {
      this.go(this.step + 1);
      if (this.step >= last) this.stop();
    }, Math.max(40, Math.min(700, 3000 / last)));
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = 0;
    of("play").textContent = "Play";
  }

  private go(step: number): void {
    this.step = step;
    of<HTMLInputElement>("step").value = String(step);
    this.changed();
  }

  /** The path in a picture of these axes, up to the present step and beyond. */
  points(axes: number[]): Point[] {
    return this.path?.places.map(({ values }) => axes.map((i) => values[i]) as Point) ?? [];
  }

  /** Draws the step in the scene and in the table. */
  draw(now: Scene): void {
    if (!this.path || !this.scene) return;
    const { path, places } = this.path;
    const place = places[this.step];
    of("step-number").textContent = `${this.step} of ${path.length}`;
    if (now.scene && place.impulses && place.velocities) {
      // The velocities of the scene give way to those of the step.
      this.sheet.clear();
      const eye = new Eye(this.sheet, box(still(now).flatMap(({ points }) => points)));
      sketch(this.sheet, eye, still(now));
      label(this.sheet, eye, now.scene.names);
      const pixels = 0.3 * Math.min(this.sheet.width, this.sheet.height);
      const most = (vectors: Point[]) => Math.max(...vectors.map(([x, y]) => Math.hypot(x, y)), 1e-300);
      const speed = most(places.flatMap(({ velocities }) => velocities!.map(([, v]) => v)));
      const impulse = most(places.flatMap(({ impulses }) => impulses!));
      const arrow = (from: Point, [x, y]: Point, unit: number, colour: number, width: number) =>
        this.sheet.arrow(eye.at(from), [(x / unit) * pixels, (-y / unit) * pixels], palette[colour], width);
      place.velocities.forEach(([centre, v]) => arrow(centre, v, speed, 2, 2));
      now.scene.contacts.forEach((point, i) => arrow(point, place.impulses![i], impulse, 0, 4));
    }
    this.table(now);
  }

  private table(scene: Scene): void {
    const { path, places } = this.path!;
    const [m, d] = [scene.contacts.length, scene.tangents];
    const cells = (tag: string, texts: string[]) => {
      const row = document.createElement("tr");
      row.append(...texts.map((text) => Object.assign(document.createElement(tag), { textContent: text })));
      return row;
    };
    const { total, energy } = places[this.step];
    const rows = scene.contacts.map((name, i) => {
      const along = Array.from({ length: d }, (_, k) => short(total[m + d * i + k]));
      return cells("td", [name, this.step ? STATES[path[this.step - 1].contacts[i]] : "", short(total[i]), ...along]);
    });
    const tangents = Array.from({ length: d }, (_, k) => (d > 1 ? `friction ${k + 1}, N s` : "friction, N s"));
    const last = cells("td", ["kinetic energy", "", `${short(energy)} J`]);
    of("contacts").replaceChildren(cells("th", ["contact", "in this step", "normal impulse, N s", ...tangents]), ...rows, last);
  }
}
