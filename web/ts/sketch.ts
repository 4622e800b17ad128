// A scene drawn to scale: what stands still, and pieces that move.

import type { Sheet } from "./sheet";
import { palette, theme } from "./theme";
import type { Point, Scene, Series } from "./types";

/** Least and most of places in m. */
export type Box = [Point, Point];

/** The engine's numbers of colours. */
export const [BODY, VELOCITY, INK, WALL] = [3, 2, 6, 7];

/** The least box that has all points; of none, a point. */
export function box(points: Iterable<Point>): Box {
  const found: Box = [[Infinity, Infinity], [-Infinity, -Infinity]];
  for (const p of points) {
    for (const i of [0, 1]) [found[0][i], found[1][i]] = [Math.min(found[0][i], p[i]), Math.max(found[1][i], p[i])];
  }
  return found[0][0] <= found[1][0] ? found : [[0, 0], [0, 0]];
}

/** A map from places in m to pixels of a sheet, with one scale. */
export class Eye {
  readonly scale: number;

  constructor(private readonly sheet: Sheet, private readonly seen: Box, room = 12) {
    const [w, h] = [0, 1].map((i) => seen[1][i] - seen[0][i]);
    this.scale = Math.min((sheet.width - 2 * room) / (w || 1), (sheet.height - 2 * room) / (h || 1));
  }

  at = ([x, y]: Point): Point => {
    const middle = [0, 1].map((i) => (this.seen[0][i] + this.seen[1][i]) / 2);
    return [this.sheet.width / 2 + (x - middle[0]) * this.scale, this.sheet.height / 2 - (y - middle[1]) * this.scale];
  };
}

/** What of a scene is no arrow of a velocity. */
export const still = (scene: Scene) => scene.scene?.series.filter(({ colour, mark }) => !(colour === VELOCITY && mark === "Line")) ?? [];

/** Draws parts of a scene. */
export function sketch(sheet: Sheet, eye: Eye, series: Series[]): void {
  const { context } = sheet;
  for (const { colour, mark, points } of series) {
    const pixels = points.map(eye.at);
    [context.strokeStyle, context.fillStyle, context.lineWidth] = [palette[colour], palette[colour], 1.5];
    if (mark === "Area") {
      sheet.line(pixels, true);
      context.globalAlpha = colour === WALL ? 0.16 : 0.3;
      context.fill();
      context.globalAlpha = colour === WALL ? 0.3 : 0.9;
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
}

/**
 * Writes names beside their points; one that would lie on another goes to the other side of its
 * point, or above it.
 */
export function label(sheet: Sheet, eye: Eye, names: [Point, string][]): void {
  const { context, width, height } = sheet;
  [context.fillStyle, context.textBaseline, context.textAlign] = [theme.soft, "top", "left"];
  const taken: [number, number, number][] = [];
  for (const [point, name] of names) {
    const [[x, y], long] = [eye.at(point), context.measureText(name).width];
    const [right, left] = [x + 8, x - 8 - long];
    const [near, far] = x > 0.75 * width ? [left, right] : [right, left];
    const below = Math.min(y + 6, height - 14);
    const places: Point[] = [[near, below], [far, below], [near, y - 20], [far, y - 20]];
    const free = ([x, y]: Point) => taken.every(([a, b, l]) => x > a + l || x + long < a || Math.abs(y - b) > 13);
    const [px, py] = places.find(free) ?? places[0];
    context.fillText(name, px, py);
    taken.push([px, py, long]);
  }
}

/** The corners of the convex hull of points, in order. */
export function hull(points: Point[]): Point[] {
  if (points.length < 3) return points;
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const chain = (list: Point[]) => {
    const kept: Point[] = [];
    for (const p of list) {
      for (; kept.length > 1; kept.pop()) {
        const [a, b] = kept.slice(-2);
        if ((b[0] - a[0]) * (p[1] - a[1]) > (b[1] - a[1]) * (p[0] - a[0])) break;
      }
      kept.push(p);
    }
    return kept.slice(0, -1);
  };
  return [...chain(sorted), ...chain(sorted.reverse())];
}

/** The way of convex pieces as a path in pixels: all points within `radius` of the hull of each. */
export function trace(context: CanvasRenderingContext2D, eye: Eye, pieces: { points: Point[]; radius: number }[]): void {
  for (const { points, radius } of pieces) {
    const corners = hull(points.map(eye.at));
    const r = radius * eye.scale;
    context.beginPath();
    if (corners.length === 1) {
      context.arc(...corners[0], Math.max(r, 1.5), 0, 2 * Math.PI);
    } else {
      // Offset edges, joined by arcs.
      corners.forEach((a, i) => {
        const b = corners[(i + 1) % corners.length];
        const angle = Math.atan2(b[1] - a[1], b[0] - a[0]) + Math.PI / 2;
        const [x, y] = [r * Math.cos(angle), r * Math.sin(angle)];
        if (r > 0.5) context.arc(...a, r, angle - 1e-3, angle);
        context.lineTo(a[0] + x, a[1] + y);
        context.lineTo(b[0] + x, b[1] + y);
      });
    }
    context.closePath();
    if (corners.length > 2 || r > 1.5) context.fill();
    context.stroke();
  }
}
