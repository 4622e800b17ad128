// The picture of the set: one point per outcome, the exact set behind them, badges of laws, the way
// of a replay.

import { element } from "./dom";
import { small, stamp } from "./marks";
import { short } from "./numbers";
import { Plot } from "./plot";
import { palette, theme } from "./theme";
import type { Picture, Point } from "./types";

/** Modes that have a colour of their own, and the number of the colour of the others. */
const COLOURED = 6;

/** Outcomes that lie within this part of the scale of their axes are one outcome. */
const ONE = 1e-4;

/** A picture that shows less than this part of the scale of an axis says so. */
const CLOSE = 0.1;

/** How far a view follows a line on each side, in widths of the set. */
const WIDEST = 1.5;

/** How far a pointer is from the point that it means, in pixels. */
const REACH = 24;

/** What is drawn beside the points. */
export interface Beside {
  path: Point[];
  step: number;
  badges: { point: Point; text: string }[];
  before: Point;
  hull: boolean;
  exact: boolean;
  proof: Point[];
}

export class Outcomes {
  readonly plot: Plot;
  picture?: Picture;
  hovered?: number;
  private kinds = new Map<string, number>();
  private afresh = true;
  /** What the next picture is of: another problem, or other axes. */
  private next?: "problem" | "axes" = "problem";

  constructor(canvas: HTMLCanvasElement, private readonly list: HTMLElement) {
    this.plot = new Plot(canvas);
  }

  /** A new problem, or other axes, follow. */
  begin(next: "problem" | "axes"): void {
    this.next = next;
  }

  show(picture: Picture, contacts: string[]): void {
    [this.picture, this.hovered] = [picture, undefined];
    if (this.next) this.afresh = true;
    if (this.next === "problem") this.kinds.clear();
    this.next = undefined;
    // The modes of most samples get colours first; they keep them while numbers are dragged.
    for (const { name } of [...picture.modes].sort((a, b) => b.count - a.count)) this.kind(name);
    this.legend(contacts);
  }

  private kind(name: string): number {
    if (!this.kinds.has(name)) this.kinds.set(name, Math.min(this.kinds.size, COLOURED));
    return this.kinds.get(name)!;
  }

  colour = (row: number): string => palette[this.number(row)];

  /** The number of the colour of a sample's modes. */
  number = (row: number): number => this.kind(this.picture!.modes[this.picture!.mode[row]]?.name ?? "");

  /** Whether all points are one. */
  get unique(): boolean {
    return this.picture !== undefined && [0, 1].every((i) => this.size(i) <= ONE * this.picture!.axes[i].scale);
  }

  private size = (i: number) => Math.max(...this.picture!.hull.map((p) => p[i])) - Math.min(...this.picture!.hull.map((p) => p[i]));

  /** How little a picture shows, where that is easily overlooked. */
  get closeness(): string {
    if (!this.picture || this.unique) return "";
    const close = ([0, 1] as const).filter((i) => this.plot.extent(i) < CLOSE * this.picture!.axes[i].scale);
    const one = (i: 0 | 1) => {
      const { name, unit, scale } = this.picture!.axes[i];
      return `${name} spans ${short(this.size(i))} ${unit}, ${short((100 * this.size(i)) / scale)} % of its largest speed`;
    };
    return close.length ? `Mind the scale: ${close.map(one).join("; ")}.` : "";
  }

  /** Points moved to where the samples can still be seen beside them. */
  private near(points: Point[]): Point[] {
    const { hull, axes } = this.picture!;
    if (hull.length === 0) return [];
    const range = ([0, 1] as const).map((i) => {
      const all = hull.map((point) => point[i]);
      const [low, high] = [Math.min(...all), Math.max(...all)];
      const room = WIDEST * Math.max(high - low, CLOSE * axes[i].scale);
      return [low - room, high + room];
    });
    return points.map((point) => point.map((x, i) => Math.min(Math.max(x, range[i][0]), range[i][1])) as Point);
  }

  /** Draws it; whether the view still moves. */
  paint({ path, step, badges, before, hull: hulled, exact: exactly, proof }: Beside): boolean {
    const { plot, picture, hovered } = this;
    if (!picture || plot.sheet.canvas.clientWidth === 0) return false;
    const { places, mode, modes, hull, exact, axes } = picture;
    plot.sheet.clear();
    // One outcome alone says nothing of its place.
    plot.show([...hull, ...(exact ?? []).flat(), ...this.near(proof), ...path, ...(this.unique ? [before] : [])], axes, this.afresh);
    this.afresh = false;
    const moves = plot.ease();
    plot.sheet.canvas.dataset.view = JSON.stringify([plot.extent(0), plot.extent(1)]);
    Object.assign(plot.sheet.canvas.dataset, { hull: JSON.stringify(hull), proof: JSON.stringify(proof) });
    plot.axes(axes);
    plot.framed(() => {
      if (exactly) exact?.forEach((polytope) => plot.area(polytope, theme.area));
    });
    plot.points(places, mode, modes.map(({ name }) => this.kind(name)), palette);
    plot.framed(() => {
      if (hulled && hull.length > 1) plot.polygon(hull, theme.soft, true);
      if (proof.length > 0) plot.polygon(proof, theme.ink, true, 2, [6, 4]);
      if (path.length > 1) plot.polygon(path, theme.ink, false, 2);
      plot.ring(before, 5, theme.soft, 2);
      if (path.length > 0) plot.ring(path[Math.min(step, path.length - 1)], 8, theme.ink, 3);
    });
    plot.badges(badges);
    if (hovered !== undefined) plot.ring([places[2 * hovered], places[2 * hovered + 1]], 9, theme.ink, 3);
    plot.sheet.canvas.ariaLabel = `${picture.accepted} outcomes, ${axes[0].name} across, ${axes[1].name} up`;
    return moves;
  }

  /** The row of the point that is nearest to a place in pixels. */
  nearest([x, y]: Point): number | undefined {
    if (!this.picture) return undefined;
    const { places } = this.picture;
    let [best, least] = [undefined as number | undefined, REACH ** 2];
    const [a, b] = [this.plot.at([0, 0]), this.plot.at([1, 1])];
    for (let i = 0; i < places.length / 2; i++) {
      const dx = a[0] + places[2 * i] * (b[0] - a[0]) - x;
      const dy = a[1] + places[2 * i + 1] * (b[1] - a[1]) - y;
      if (dx * dx + dy * dy < least) [best, least] = [i, dx * dx + dy * dy];
    }
    return best;
  }

  /** What a point says of itself. */
  words(row: number): string {
    const { places, numbers, mode, modes, axes } = this.picture!;
    const at = (k: 0 | 1) => `${axes[k].name} ${short(places[2 * row + k])} ${axes[k].unit}`;
    return `Sample ${numbers[row]}: ${modes[mode[row]].name}; ${at(0)}, ${at(1)}`;
  }

  private legend(contacts: string[]): void {
    const entries = this.picture!.modes.map(({ name, count }) => ({ name, count, kind: this.kind(name) }));
    entries.sort((a, b) => b.count - a.count);
    const share = (n: number) => `${((100 * n) / this.picture!.accepted).toFixed(1)} %`;
    const own = entries.filter((entry) => entry.kind < COLOURED);
    const rest = entries.filter((entry) => entry.kind === COLOURED);
    const item = (kind: number, text: string) => {
      const entry = element("li");
      entry.append(small((context) => stamp(context, kind, [9, 9], 2.8, palette[kind])), text);
      return entry;
    };
    const items = own.map(({ name, count, kind }) => item(kind, `${name}: ${share(count)}`));
    if (rest.length) items.push(item(COLOURED, `${rest.length} more: ${share(rest.reduce((sum, { count }) => sum + count, 0))}`));
    this.list.replaceChildren(element("li", `What ${contacts.join(", ")} do:`), ...items);
  }
}
