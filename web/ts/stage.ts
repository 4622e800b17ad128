// The scene that moves: it comes to the impact as one, and leaves it as thirty ghosts, one per
// outcome.

import { pieces, places } from "./ghosts";
import { Sheet } from "./sheet";
import { BODY, Eye, VELOCITY, box, label, sketch, still, trace, type Box } from "./sketch";
import { palette, theme } from "./theme";
import type { Ghosts, Point, Scene } from "./types";

/** Seconds of a turn: until the impact, at it, after it, and at the end. */
const [COMES, HITS, LEAVES, ENDS] = [1.2, 0.45, 3.6, 1.2];

/**
 * The length of the longest arrow of a velocity over the size of the picture, and the radius of its
 * knob in pixels.
 */
const [LONG, KNOB] = [0.2, 6];

/** Part of the way to what is wanted in view that one frame goes. */
const PART = 0.2;

export class Stage {
  readonly sheet: Sheet;
  eye: Eye;
  /** From -1, long before, through 0, the impact, to 1, long after it. */
  moment = 1;
  playing = false;
  /** The row of the outcome that is lit. */
  lit?: number;
  /** Pixels for a m/s; kept while a velocity is dragged. */
  speed = 1;
  held = false;
  private scene?: Scene;
  private ghosts?: Ghosts;
  private more?: Ghosts;
  private seen?: Box;
  private wanted?: Box;
  private clock = 0;

  constructor(canvas: HTMLCanvasElement, private readonly colour: (row: number) => string) {
    this.sheet = new Sheet(canvas);
    this.eye = new Eye(this.sheet, [[0, 0], [1, 1]]);
  }

  show(scene: Scene, ghosts: Ghosts, afresh: boolean): void {
    [this.scene, this.ghosts, this.more] = [scene, ghosts, undefined];
    const all = box([...still(scene).flatMap(({ points }) => points), ...places(ghosts)]);
    const size = (b: Box) => Math.max(b[1][0] - b[0][0], b[1][1] - b[0][1]);
    const out = this.wanted && [0, 1].some((i) => all[0][i] < this.wanted![0][i] || all[1][i] > this.wanted![1][i]);
    if (!this.wanted || afresh || out || size(all) < 0.6 * size(this.wanted)) this.wanted = all;
    if (afresh || !this.seen) this.seen = structuredClone(this.wanted);
  }

  /** A ghost for a sample that has none yet. */
  add(ghost: Ghosts): void {
    this.more = ghost;
  }

  has = (row: number) => this.ghosts?.rows.includes(row) || this.more?.rows.includes(row);

  /** Goes on by so many seconds; whether anything moves. */
  tick(seconds: number): boolean {
    if (this.playing) {
      this.clock = (this.clock + seconds) % (COMES + HITS + LEAVES + ENDS);
      const since = this.clock - COMES - HITS;
      const part = Math.min(Math.max(since / LEAVES, 0), 1);
      this.moment = this.clock < COMES ? this.clock / COMES - 1 : 1 - (1 - part) ** 1.6;
    }
    let left = false;
    for (const [i, k] of [[0, 0], [0, 1], [1, 0], [1, 1]]) {
      if (!this.seen || !this.wanted) break;
      const way = this.wanted[i][k] - this.seen[i][k];
      left ||= Math.abs(way) * this.eye.scale > 0.5;
      this.seen[i][k] += PART * way;
    }
    return this.playing || left;
  }

  /** Begins a turn, or goes to a moment of it. */
  go(moment: number): void {
    this.moment = moment;
    this.clock = moment <= 0 ? (1 + moment) * COMES : COMES + HITS + (1 - (1 - moment) ** 0.625) * LEAVES;
  }

  /** How many times slower than the world it moves. */
  get slower(): number {
    return this.ghosts ? LEAVES / this.ghosts.seconds : 1;
  }

  draw(): void {
    const { sheet, scene, ghosts, seen } = this;
    if (!scene?.scene || !ghosts || !seen || sheet.canvas.clientWidth === 0) return;
    sheet.clear();
    const { context } = sheet;
    this.eye = new Eye(sheet, seen, 14);
    const fixed = still(scene);
    sketch(sheet, this.eye, fixed.filter(({ colour }) => colour !== BODY));
    context.lineJoin = "round";
    if (this.moment <= 0) this.body(0, 1 + this.moment, palette[BODY], 0.35, 2, ghosts);
    else this.fan(ghosts);
    label(sheet, this.eye, this.moment <= 0 ? scene.scene.names : []);
    this.arrows(scene.scene.velocities);
  }

  private fan(ghosts: Ghosts): void {
    this.body(0, 1, theme.soft, 0, 1, ghosts);
    const lit = this.lit;
    ghosts.rows.forEach((row, i) => {
      if (row !== lit) this.body(1 + i, this.moment, this.colour(row), lit === undefined ? 0.09 : 0.03, 1.3, ghosts, lit === undefined ? 0.75 : 0.2);
    });
    const from = this.more?.rows[0] === lit ? this.more : ghosts;
    const at = from?.rows.indexOf(lit ?? -1) ?? -1;
    if (lit !== undefined && from && at >= 0) this.body(1 + at, this.moment, this.colour(lit), 0.45, 3, from);
  }

  private body(way: number, part: number, colour: string, fill: number, width: number, ghosts: Ghosts, line = 1): void {
    const { context } = this.sheet;
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
    [context.fillStyle, context.strokeStyle, context.lineWidth] = [`rgb(${r} ${g} ${b} / ${fill})`, `rgb(${r} ${g} ${b} / ${line})`, width];
    trace(context, this.eye, pieces(ghosts, way, part));
  }

  /** Velocities before the impact, with the knobs that they are dragged by. */
  private arrows(velocities: [Point, Point][]): void {
    const fastest = Math.max(...velocities.map(([, v]) => Math.hypot(...v)), 1e-12);
    if (!this.held) this.speed = (LONG * Math.min(this.sheet.width, this.sheet.height)) / fastest;
    this.sheet.canvas.dataset.knobs = JSON.stringify(velocities.map((arrow) => this.tip(arrow)));
    for (const [center, v] of velocities) {
      const [from, tip] = [this.eye.at(center), this.tip([center, v])];
      this.sheet.arrow(from, [tip[0] - from[0], tip[1] - from[1]], palette[VELOCITY], 2.5);
      const { context } = this.sheet;
      context.beginPath();
      context.arc(...tip, KNOB, 0, 2 * Math.PI);
      [context.fillStyle, context.strokeStyle, context.lineWidth] = [theme.paper, palette[VELOCITY], 2];
      context.fill();
      context.stroke();
    }
  }

  /** Where an arrow ends, in pixels. */
  tip([center, v]: [Point, Point]): Point {
    const [x, y] = this.eye.at(center);
    return [x + v[0] * this.speed, y - v[1] * this.speed];
  }

  /** The body whose knob is at a place in pixels. */
  knob([x, y]: Point, reach: number): number | undefined {
    const all = this.scene?.scene?.velocities ?? [];
    const far = all.map((arrow) => Math.hypot(this.tip(arrow)[0] - x, this.tip(arrow)[1] - y));
    const least = Math.min(...far);
    return least < reach ? far.indexOf(least) : undefined;
  }

  /** The row of the ghost that is nearest to a place in pixels, after the impact. */
  nearest([x, y]: Point): number | undefined {
    if (!this.ghosts || this.moment <= 0.15) return undefined;
    let [best, least] = [undefined as number | undefined, 30];
    this.ghosts.rows.forEach((row, i) => {
      const points = pieces(this.ghosts!, 1 + i, this.moment).flatMap(({ points }) => points).map(this.eye.at);
      for (const [a, b] of points) {
        const far = Math.hypot(a - x, b - y);
        if (far < least) [best, least] = [row, far];
      }
    });
    return best;
  }
}
