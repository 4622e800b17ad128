// Ghosts: the scene on its way before the impact, and after it in some samples.

import type { Ghosts, Point } from "./types";

/** How many samples have a ghost. */
const MANY = 30;

/** Samples from which they are chosen: the first ones. */
const FROM = 2048;

/** Rows of points that lie far from each other: each next one farthest from those before it. */
export function spread(places: Float32Array, many = MANY): number[] {
  const count = Math.min(places.length / 2, FROM);
  if (count === 0) return [];
  const [low, high] = [[Infinity, Infinity], [-Infinity, -Infinity]];
  for (let i = 0; i < 2 * count; i++) {
    [low[i % 2], high[i % 2]] = [Math.min(low[i % 2], places[i]), Math.max(high[i % 2], places[i])];
  }
  const scale = [0, 1].map((k) => 1 / (high[k] - low[k] || 1));
  const far = new Float64Array(count).fill(Infinity);
  const rows = [0];
  while (rows.length < Math.min(many, count)) {
    const last = rows[rows.length - 1];
    let next = 0;
    for (let i = 0; i < count; i++) {
      const d = ((places[2 * i] - places[2 * last]) * scale[0]) ** 2 + ((places[2 * i + 1] - places[2 * last + 1]) * scale[1]) ** 2;
      far[i] = Math.min(far[i], d);
      if (far[i] > far[next]) next = i;
    }
    if (far[next] < 1e-8) break;
    rows.push(next);
  }
  return rows;
}

/**
 * A way's pieces at a part of it, from 0 to 1. Way 0 leads to the impact, way `1 + i` is that of
 * sample i.
 */
export function pieces({ pieces, moments, points }: Ghosts, way: number, part: number): { points: Point[]; radius: number }[] {
  const size = pieces.reduce((sum, [count]) => sum + count, 0);
  const at = Math.min(Math.max(part, 0), 1) * (moments - 1);
  const first = Math.min(Math.floor(at), moments - 2);
  const rest = at - first;
  let from = 2 * size * (way * moments + first);
  return pieces.map(([count, radius]) => {
    const placed = Array.from({ length: count }, (_, i): Point => {
      const [a, b] = [from + 2 * i, from + 2 * i + 2 * size];
      return [points[a] + rest * (points[b] - points[a]), points[a + 1] + rest * (points[b + 1] - points[a + 1])];
    });
    from += 2 * count;
    return { points: placed, radius };
  });
}

/** All places that ways come by. */
export function* places({ points }: Ghosts): Generator<Point> {
  for (let i = 0; i < points.length; i += 2) yield [points[i], points[i + 1]];
}
