// A canvas, and what is drawn on any.

import type { Point } from "./types";

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
