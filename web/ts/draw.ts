// Drawings on a canvas: points of a set with its axes, scenes to scale, maps.

import type { Axis, Point, Series } from "./types";

/** What is in view: least and most on both axes. */
export type View = [Point, Point];

/** The shapes of points by the number of their modes, 5 by 5, distinct without colours. */
const STAMPS = [
  ".###.|#####|#####|#####|.###.",
  "#...#|.#.#.|..#..|.#.#.|#...#",
  "..#..|.###.|#####|.###.|..#..",
  "..#..|..#..|#####|..#..|..#..",
  "#####|#...#|#...#|#...#|#####",
  "..#..|..#..|.###.|.###.|#####",
  ".....|.###.|.###.|.###.|.....",
].map((rows) => rows.split("|").flatMap((row, y) => [...row].flatMap((c, x) => (c === "#" ? [[x - 2, y - 2]] : []))));

/** The marks of laws, in their order, as corners of closed lines around 0. */
const MARKS: Point[][] = [
  [[0, -1.2], [1.2, 0], [0, 1.2], [-1.2, 0]],
  [[0, -1.1], [1.1, 0.9], [-1.1, 0.9]],
  [[-1, -1], [1, -1], [1, 1], [-1, 1]],
  [[-1, -1], [0, 0], [1, -1], [0, 0], [1, 1], [0, 0], [-1, 1], [0, 0]],
  [[-1.2, 0], [0, 0], [0, -1.2], [0, 0], [1.2, 0], [0, 0], [0, 1.2], [0, 0]],
  [[0, 1.1], [1.1, -0.9], [-1.1, -0.9]],
  [[-1.3, -0.6], [1.3, -0.6], [1.3, 0.6], [-1.3, 0.6]],
  [[-0.6, -1.3], [0.6, -1.3], [0.6, 1.3], [-0.6, 1.3]],
];

export function colours(list: string[]): [number, number, number][] {
  return list.map((c) => [1, 3, 5].map((at) => parseInt(c.slice(at, at + 2), 16)) as [number, number, number]);
}

/** About `count` round numbers between two. */
export function ticks(low: number, high: number, count: number): number[] {
  const raw = (high - low) / count;
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((x) => x * power).find((x) => x >= raw)!;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step);
}

/** One of `ticks`, with as many digits as tell it from the others. */
export function tick(x: number, all: number[]): string {
  const step = all.length > 1 ? all[1] - all[0] : Math.abs(x) || 1;
  const most = Math.max(...all.map(Math.abs));
  if (Math.abs(x) < 1e-9 * step) return "0";
  const text =
    most < 1e5 && step > 9e-7
      ? x.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)))
      : x.toExponential(Math.min(15, Math.max(0, Math.floor(Math.log10(Math.abs(x) / step) + 1e-9))));
  return text.replace("e+", "e").replaceAll("-", "\u2212");
}

/** A number of at most three digits. */
export const short = (x: number) => (x === 0 ? "0" : String(Number(x.toPrecision(3))).replace("-", "\u2212"));

/** A canvas that is as sharp as the screen. */
export class Sheet {
  readonly context: CanvasRenderingContext2D;
  width = 0;
  height = 0;
  ratio = 1;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext("2d", { willReadFrequently: true })!;
  }

  /** Empties it, and takes over its size. */
  clear(): void {
    const { clientWidth, clientHeight } = this.canvas;
    this.ratio = window.devicePixelRatio || 1;
    [this.width, this.height] = [clientWidth, clientHeight];
    const [w, h] = [clientWidth, clientHeight].map((x) => Math.round(x * this.ratio));
    if (this.canvas.width !== w || this.canvas.height !== h) [this.canvas.width, this.canvas.height] = [w, h];
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.context.clearRect(0, 0, clientWidth, clientHeight);
    this.context.font = "12px system-ui, sans-serif";
  }

  line(points: Point[], closed: boolean): void {
    this.context.beginPath();
    points.forEach(([x, y], i) => (i ? this.context.lineTo(x, y) : this.context.moveTo(x, y)));
    if (closed) this.context.closePath();
  }

  arrow(from: Point, along: Point, colour: string, width = 2): void {
    const [dx, dy] = along;
    const length = Math.hypot(dx, dy);
    if (!(length > 2)) return;
    const tip: Point = [from[0] + dx, from[1] + dy];
    const head = Math.min(9, 0.5 * length) / length;
    const side = (s: number): Point => [tip[0] - head * (dx + s * dy), tip[1] - head * (dy - s * dx)];
    const { context } = this;
    [context.strokeStyle, context.lineWidth] = [colour, width];
    this.line([from, tip], false);
    context.stroke();
    this.line([side(0.5), tip, side(-0.5)], false);
    context.stroke();
  }
}

/** The least that a picture shows of an axis, in its scale: what is smaller is rounding. */
const LEAST = 1e-4;

/** A picture of a set. */
export class Plot {
  readonly sheet: Sheet;
  view: View = [[-1, -1], [1, 1]];
  private readonly margin = { left: 68, right: 14, top: 12, bottom: 42 };

  constructor(canvas: HTMLCanvasElement) {
    this.sheet = new Sheet(canvas);
  }

  /** Where a point is, in pixels. */
  at([x, y]: Point): Point {
    const { left, right, top, bottom } = this.margin;
    const [[x0, y0], [x1, y1]] = this.view;
    const { width, height } = this.sheet;
    return [
      left + ((x - x0) / (x1 - x0)) * (width - left - right),
      height - bottom - ((y - y0) / (y1 - y0)) * (height - top - bottom),
    ];
  }

  /**
   * Brings all points into view. The view stays where the points barely change, so that it does not
   * jump during a drag.
   */
  show(points: Iterable<Point>, axes: Axis[], afresh: boolean): void {
    const [low, high]: View = [[Infinity, Infinity], [-Infinity, -Infinity]];
    for (const point of points) {
      for (const i of [0, 1]) [low[i], high[i]] = [Math.min(low[i], point[i]), Math.max(high[i], point[i])];
    }
    for (const i of [0, 1]) {
      if (!(low[i] <= high[i])) continue;
      const [old0, old1] = [this.view[0][i], this.view[1][i]];
      const size = Math.max(high[i] - low[i], LEAST * axes[i].scale, 1e-12 * Math.abs(high[i]), 1e-300);
      const fits = low[i] >= old0 && high[i] <= old1 && size > 0.45 * (old1 - old0);
      if (fits && !afresh) continue;
      const room = 0.12 * size;
      const middle = 0.5 * (low[i] + high[i]);
      [this.view[0][i], this.view[1][i]] = [middle - size / 2 - room, middle + size / 2 + room];
    }
  }

  axes(axes: Axis[]): void {
    const { context, width, height } = this.sheet;
    const { left, right, top, bottom } = this.margin;
    const [[x0, y0], [x1, y1]] = this.view;
    context.lineWidth = 1;
    context.textAlign = "center";
    context.textBaseline = "top";
    const rule = (from: Point, to: Point, zero: boolean) => {
      context.strokeStyle = zero ? "#a0a0a0" : "#e8e8e8";
      this.sheet.line([from, to], false);
      context.stroke();
    };
    context.fillStyle = "#222";
    const across = ticks(x0, x1, Math.max(2, width / 90));
    for (const x of across) {
      const [px] = this.at([x, y0]);
      rule([px, top], [px, height - bottom], x === 0);
      context.fillText(tick(x, across), px, height - bottom + 5);
    }
    context.textAlign = "right";
    context.textBaseline = "middle";
    const up = ticks(y0, y1, Math.max(2, height / 60));
    for (const y of up) {
      const [, py] = this.at([x0, y]);
      rule([left, py], [width - right, py], y === 0);
      context.fillText(tick(y, up), left - 6, py);
    }
    const names = axes.map(({ name, unit }) => (unit ? `${name}, ${unit}` : name));
    context.textAlign = "center";
    context.textBaseline = "bottom";
    context.fillText(names[0], (left + width - right) / 2, height - 4);
    context.save();
    context.translate(10, (top + height - bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.textBaseline = "middle";
    context.fillText(names[1], 0, 0);
    context.restore();
    context.strokeStyle = "#606060";
    context.strokeRect(left, top, width - left - right, height - top - bottom);
  }

  /** Points, each in the colour and the shape of its modes. */
  points(places: Float32Array, modes: Uint32Array, kinds: number[], palette: [number, number, number][]): void {
    const { context, canvas, ratio } = this.sheet;
    const image = context.getImageData(0, 0, canvas.width, canvas.height);
    const pixels = new Uint32Array(image.data.buffer);
    const [w, h] = [canvas.width, canvas.height];
    const inks = kinds.map((kind) => {
      const [r, g, b] = palette[kind];
      return (255 << 24) | (b << 16) | (g << 8) | r;
    });
    const stamps = kinds.map((kind) => STAMPS[kind]);
    const big = places.length > 2e4 ? 1 : Math.max(1, Math.round(ratio));
    const [ax, ay] = this.at([0, 0]).map((x) => x * ratio);
    const [bx, by] = this.at([1, 1]).map((x) => x * ratio);
    for (let i = 0; i < modes.length; i++) {
      const px = Math.round(ax + places[2 * i] * (bx - ax));
      const py = Math.round(ay + places[2 * i + 1] * (by - ay));
      const kind = modes[i];
      for (const [dx, dy] of stamps[kind]) {
        for (let s = 0; s < big * big; s++) {
          const [x, y] = [px + dx * big + (s % big), py + dy * big + Math.floor(s / big)];
          if (x >= 0 && x < w && y >= 0 && y < h) pixels[y * w + x] = inks[kind];
        }
      }
    }
    context.putImageData(image, 0, 0);
  }

  polygon(points: Point[], colour: string, closed: boolean, width = 1, dashes: number[] = []): void {
    const { context } = this.sheet;
    [context.strokeStyle, context.lineWidth] = [colour, width];
    context.setLineDash(dashes);
    this.sheet.line(points.map((point) => this.at(point)), closed);
    context.stroke();
    context.setLineDash([]);
  }

  /** An area, or a line or a point without one, behind what comes later. */
  area(points: Point[], colour: string): void {
    const { context } = this.sheet;
    const pixels = points.map((point) => this.at(point));
    [context.fillStyle, context.strokeStyle, context.lineWidth, context.lineJoin] = [colour, colour, 9, "round"];
    this.sheet.line(pixels, true);
    context.fill();
    context.stroke();
    context.lineJoin = "miter";
  }

  /** The mark of a law; at the border where it is out of view. */
  mark(number: number, point: Point, colour: string): void {
    const { context, width, height } = this.sheet;
    const { left, right, top, bottom } = this.margin;
    const [x, y] = this.at(point);
    const inside: Point = [Math.min(Math.max(x, left), width - right), Math.min(Math.max(y, top), height - bottom)];
    stroke(context, number, inside, 6, colour);
  }

  ring(point: Point, radius: number, colour: string, width = 2): void {
    const { context } = this.sheet;
    const [x, y] = this.at(point);
    [context.strokeStyle, context.lineWidth] = [colour, width];
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.stroke();
  }
}

/** Draws the mark of a law, with a white line around it. */
export function stroke(context: CanvasRenderingContext2D, number: number, [x, y]: Point, size: number, colour: string): void {
  for (const [ink, width] of [["#ffffff", 4.5], [colour, 2]] as const) {
    [context.strokeStyle, context.lineWidth] = [ink, width];
    context.beginPath();
    MARKS[number % MARKS.length].forEach(([dx, dy], i) => {
      context[i ? "lineTo" : "moveTo"](x + size * dx, y + size * dy);
    });
    context.closePath();
    context.stroke();
  }
}

/** Draws the shape of points. */
export function stamp(context: CanvasRenderingContext2D, kind: number, [x, y]: Point, size: number, colour: string): void {
  context.fillStyle = colour;
  for (const [dx, dy] of STAMPS[kind]) context.fillRect(x + dx * size, y + dy * size, size, size);
}

/** Draws a scene to scale; returns where its places are in pixels. */
export function scene(sheet: Sheet, series: Series[], names: [Point, string][], palette: string[]): (point: Point) => Point {
  sheet.clear();
  const { context, width, height } = sheet;
  const all = series.flatMap((s) => s.points);
  const range = (i: number) => [Math.min(...all.map((p) => p[i])), Math.max(...all.map((p) => p[i]))];
  const [[x0, x1], [y0, y1]] = [range(0), range(1)];
  const scale = Math.min((width - 24) / (x1 - x0 || 1), (height - 24) / (y1 - y0 || 1));
  const at = ([x, y]: Point): Point => [
    width / 2 + (x - (x0 + x1) / 2) * scale,
    height / 2 - (y - (y0 + y1) / 2) * scale,
  ];
  for (const { colour, mark, points } of series) {
    const pixels = points.map(at);
    [context.strokeStyle, context.fillStyle, context.lineWidth] = [palette[colour], palette[colour], 1.5];
    if (mark === "Area") {
      sheet.line(pixels, true);
      context.globalAlpha = 0.22;
      context.fill();
      context.globalAlpha = 0.9;
      context.stroke();
      context.globalAlpha = 1;
    } else if (mark === "Ring") {
      for (const [x, y] of pixels) {
        context.beginPath();
        context.arc(x, y, 4, 0, 2 * Math.PI);
        context.stroke();
      }
    } else {
      sheet.line(pixels, mark === "Outline");
      context.stroke();
    }
  }
  context.fillStyle = "#222";
  context.textBaseline = "top";
  // A name that would lie on another one goes to the other side of its point, or above it.
  const taken: [number, number, number][] = [];
  context.textAlign = "left";
  for (const [point, name] of names) {
    const [[x, y], long] = [at(point), context.measureText(name).width];
    const [right, left] = [x + 8, x - 8 - long];
    const [near, far] = x > 0.75 * width ? [left, right] : [right, left];
    const below = Math.min(y + 6, height - 14);
    const places: Point[] = [[near, below], [far, below], [near, y - 20], [far, y - 20]];
    const free = ([x, y]: Point) => taken.every(([a, b, l]) => x > a + l || x + long < a || Math.abs(y - b) > 13);
    const [px, py] = places.find(free) ?? places[0];
    context.fillText(name, px, py);
    taken.push([px, py, long]);
  }
  return at;
}
