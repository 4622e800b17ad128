// Small signs: the shapes of points, and the badges of laws.

import { theme } from "./theme";
import type { Point } from "./types";

/** The shapes of points by the number of their modes, 5 by 5, distinct without colours. */
export const STAMPS = [
  ".###.|#####|#####|#####|.###.",
  "#...#|.#.#.|..#..|.#.#.|#...#",
  "..#..|.###.|#####|.###.|..#..",
  "..#..|..#..|#####|..#..|..#..",
  "#####|#...#|#...#|#...#|#####",
  "..#..|..#..|.###.|.###.|#####",
  ".....|.###.|.###.|.###.|.....",
].map((rows) => rows.split("|").flatMap((row, y) => [...row].flatMap((c, x) => (c === "#" ? [[x - 2, y - 2]] : []))));

/** Draws the shape of points. */
export function stamp(context: CanvasRenderingContext2D, kind: number, [x, y]: Point, size: number, colour: string): void {
  context.fillStyle = colour;
  for (const [dx, dy] of STAMPS[kind]) context.fillRect(x + dx * size, y + dy * size, size, size);
}

/** The letter of a law. */
export const letter = (law: number) => String.fromCharCode(65 + law);

/** Draws the badge of a law: no point of a sample looks like it. */
export function badge(context: CanvasRenderingContext2D, text: string, [x, y]: Point, radius = 9): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  [context.fillStyle, context.strokeStyle, context.lineWidth] = [theme.ink, theme.paper, 2];
  context.fill();
  context.stroke();
  context.fillStyle = theme.paper;
  context.font = `bold ${Math.round(1.25 * radius)}px system-ui, sans-serif`;
  [context.textAlign, context.textBaseline] = ["center", "middle"];
  context.fillText(text, x, y + 0.5);
}

/** A small canvas for a legend. */
export function small(paint: (context: CanvasRenderingContext2D) => void): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height, canvas.ariaHidden] = [40, 40, "true"];
  const context = canvas.getContext("2d")!;
  context.scale(2, 2);
  paint(context);
  return canvas;
}
