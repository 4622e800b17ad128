// A picture of a set: its axes, its points, and marks.

import { STAMPS, badge } from "./marks";
import { tick, ticks } from "./numbers";
import { Sheet } from "./sheet";
import { channels, theme } from "./theme";
import type { Axis, Point } from "./types";

/** What is in view: least and most on both axes. */
type View = [Point, Point];

/** The least that a picture shows of an axis, in its scale: what is smaller is rounding. */
const LEAST = 1e-4;

/**
 * Part of the way to what is wanted in view that one frame goes, and the part of the view that is
 * too small to go on.
 */
const [PART, REST] = [0.25, 1e-3];

export class Plot {
  readonly sheet: Sheet;
  private view: View = [[-1, -1], [1, 1]];
  private target: View = [[-1, -1], [1, 1]];
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

  /** How far the view reaches on an axis. */
  extent = (axis: 0 | 1) => this.target[1][axis] - this.target[0][axis];

  /**
   * Brings all points into view. The view stays where the points barely change, so that it does not
   * jump during a drag; otherwise `ease` leads to it, at once where it is `afresh`.
   */
  show(points: Iterable<Point>, axes: Axis[], afresh: boolean): void {
    const [low, high]: View = [[Infinity, Infinity], [-Infinity, -Infinity]];
    for (const point of points) {
      for (const i of [0, 1]) [low[i], high[i]] = [Math.min(low[i], point[i]), Math.max(high[i], point[i])];
    }
    for (const i of [0, 1]) {
      if (!(low[i] <= high[i])) continue;
      const [old0, old1] = [this.target[0][i], this.target[1][i]];
      const size = Math.max(high[i] - low[i], LEAST * axes[i].scale, 1e-12 * Math.abs(high[i]), 1e-300);
      const fits = low[i] >= old0 && high[i] <= old1 && size > 0.45 * (old1 - old0);
      if (fits && !afresh) continue;
      const room = 0.12 * size;
      const middle = 0.5 * (low[i] + high[i]);
      [this.target[0][i], this.target[1][i]] = [middle - size / 2 - room, middle + size / 2 + room];
    }
    if (afresh) this.view = structuredClone(this.target);
  }

  /** Goes part of the way to what is to be in view; whether some is left. */
  ease(): boolean {
    let left = false;
    for (const axis of [0, 1] as const) {
      for (const end of [0, 1] as const) {
        const way = this.target[end][axis] - this.view[end][axis];
        const far = Math.abs(way) > REST * this.extent(axis);
        this.view[end][axis] += far ? PART * way : way;
        left ||= far;
      }
    }
    return left;
  }

  axes(axes: Axis[]): void {
    const { context, width, height } = this.sheet;
    const { left, right, top, bottom } = this.margin;
    const [[x0, y0], [x1, y1]] = this.view;
    context.lineWidth = 1;
    context.textAlign = "center";
    context.textBaseline = "top";
    const rule = (from: Point, to: Point, zero: boolean) => {
      context.strokeStyle = zero ? theme.zero : theme.grid;
      this.sheet.line([from, to], false);
      context.stroke();
    };
    context.fillStyle = theme.soft;
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
    context.fillStyle = theme.ink;
    context.textAlign = "center";
    context.textBaseline = "bottom";
    context.fillText(names[0], (left + width - right) / 2, height - 4);
    context.save();
    context.translate(10, (top + height - bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.textBaseline = "middle";
    context.fillText(names[1], 0, 0);
    context.restore();
  }

  /** Draws within the frame only. */
  framed(paint: () => void): void {
    const { context, width, height } = this.sheet;
    const { left, right, top, bottom } = this.margin;
    context.save();
    context.beginPath();
    context.rect(left, top, width - left - right, height - top - bottom);
    context.clip();
    paint();
    context.restore();
  }

  /** Points, each in the colour and the shape of its modes. */
  points(places: Float32Array, modes: Uint32Array, kinds: number[], palette: string[]): void {
    const { context, canvas, ratio } = this.sheet;
    const image = context.getImageData(0, 0, canvas.width, canvas.height);
    const pixels = new Uint32Array(image.data.buffer);
    const [w, h] = [canvas.width, canvas.height];
    const inks = kinds.map((kind) => {
      const [r, g, b] = channels(palette[kind]);
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

  /** An area behind what comes later; of one that is a line or a point, as much as can be seen. */
  area(points: Point[], colour: string): void {
    const { context } = this.sheet;
    const pixels = points.map((point) => this.at(point));
    const thin = Math.min(...[0, 1].map((i) => Math.max(...pixels.map((p) => p[i])) - Math.min(...pixels.map((p) => p[i])))) < 3;
    [context.fillStyle, context.strokeStyle, context.lineWidth, context.lineJoin] = [colour, colour, thin ? 4 : 1, "round"];
    this.sheet.line(pixels, true);
    context.fill();
    context.stroke();
    context.lineJoin = "miter";
  }

  /**
   * Badges beside each other where they would meet; on the frame, with an arrow, where they are out
   * of view.
   */
  badges(marks: { point: Point; text: string }[]): void {
    const { context, width, height } = this.sheet;
    const { left, right, top, bottom } = this.margin;
    const taken: Point[] = [];
    const said: [string, Point][] = [];
    for (const { point, text } of marks) {
      const [x, y] = this.at(point);
      const place: Point = [Math.min(Math.max(x, left + 10), width - right - 10), Math.min(Math.max(y, top + 10), height - bottom - 10)];
      // A letter stands once for the outcomes of a law that cannot be told apart here.
      if (said.some(([other, [a, b]]) => other === text && Math.hypot(a - place[0], b - place[1]) < 12)) continue;
      said.push([text, [...place]]);
      const [dx, dy] = [x - place[0], y - place[1]];
      const meets = ([a, b]: Point) => Math.hypot(a - place[0], b - place[1]) < 17;
      for (let tries = 0; taken.some(meets) && tries < 40; tries++) {
        place[0] += place[0] < width - right - 30 ? 18 : 0;
        if (place[0] >= width - right - 30) [place[0], place[1]] = [left + 10, place[1] + 18];
      }
      taken.push(place);
      const away = Math.hypot(dx, dy);
      if (away > 12) this.sheet.arrow(place, [(dx / away) * 17, (dy / away) * 17], theme.ink);
      badge(context, text, place);
    }
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
