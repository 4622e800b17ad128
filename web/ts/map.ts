// The size of the set over two numbers of the problem, cell by cell.

import { valueOf, type Knob } from "./controls";
import { short, tick, ticks } from "./numbers";
import { Post } from "./post";
import { Sheet } from "./sheet";
import { channels, theme } from "./theme";
import type { Scene, Wanted } from "./types";

const [COLUMNS, ROWS, SAMPLES] = [16, 12, 256];

/** Longest time in ms for a cell of a map that nobody wants any more. */
const PATIENCE = 500;

/** From the colour of the page to one that stands out, in steps that anyone tells apart. */
function shade(part: number): string {
  const [from, to] = [channels(theme.paper), channels(theme.accent)];
  return `rgb(${from.map((x, i) => Math.round(x + part * (to[i] - x)))})`;
}

export class SizeMap {
  private readonly post = new Post();
  private readonly sheet: Sheet;
  private cells: (number | null | undefined)[] = [];
  private run = 0;
  /** The cell that keys have come to. */
  private cursor?: [number, number];
  private axes?: [Knob, Knob];
  private now?: Scene;
  /** What the map was computed for. */
  private key = "";

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly caption: HTMLElement,
    private readonly chosen: (x: [Knob, number], y: [Knob, number]) => void,
  ) {
    this.sheet = new Sheet(canvas);
    canvas.addEventListener("click", ({ offsetX, offsetY }) => {
      const { left, top, width, height } = this.frame();
      const [column, row] = [Math.floor(((offsetX - left) / width) * COLUMNS), Math.floor(((offsetY - top) / height) * ROWS)];
      if (column >= 0 && column < COLUMNS && row >= 0 && row < ROWS) this.choose(column, row);
    });
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      const [column, row] = this.cursor ?? this.here() ?? [0, ROWS - 1];
      if (event.key === "Enter") this.choose(column, row);
      if (!step) return;
      event.preventDefault();
      this.cursor = [Math.min(Math.max(column + step[0], 0), COLUMNS - 1), Math.min(Math.max(row + step[1], 0), ROWS - 1)];
      this.draw();
    });
  }

  private choose(column: number, row: number): void {
    this.cursor = [column, row];
    this.draw();
    if (this.axes) this.chosen([this.axes[0], this.value(0, column)], [this.axes[1], this.value(1, row)]);
  }

  /** The number at a column or a row. */
  private value(axis: 0 | 1, index: number): number {
    const { low, high } = this.axes![axis];
    const part = axis === 0 ? (index + 0.5) / COLUMNS : 1 - (index + 0.5) / ROWS;
    return Number((low + part * (high - low)).toPrecision(4));
  }

  /** Drops the map, which belongs to another problem. */
  forget(): void {
    this.run++;
    this.post.stop();
    [this.axes, this.key, this.cursor] = [undefined, "", undefined];
    this.caption.textContent = "";
  }

  /**
   * Computes the map around a problem; a later call takes the place of an earlier one, and one for
   * other values of the two numbers alone shows where these are.
   */
  async compute(wanted: Wanted, now: Scene, x: Knob | undefined, y: Knob | undefined): Promise<void> {
    if (!x || !y || x === y) {
      this.forget();
      this.draw();
      this.caption.textContent = "A map takes two different numbers: choose another one.";
      return;
    }
    this.now = now;
    const cell = (column: number, row: number) => y.with(x.with(wanted, this.value(0, column), now), this.value(1, row), now);
    this.axes = [x, y];
    const key = JSON.stringify([x.group, x.name, y.group, y.name, cell(0, 0)]);
    if (key === this.key) {
      this.draw();
      return;
    }
    this.key = key;
    this.post.stop(PATIENCE);
    const run = ++this.run;
    this.cells = Array(COLUMNS * ROWS).fill(undefined);
    // Coarse cells first: the order is that of bits reversed.
    const order = [...this.cells.keys()].sort((a, b) => scattered(a) - scattered(b));
    for (const at of order) {
      try {
        const request = { ask: "size", wanted: cell(at % COLUMNS, Math.floor(at / COLUMNS)), samples: SAMPLES };
        const { diameter } = await this.post.send<{ diameter: number }>({ kind: "ask", request });
        if (run !== this.run) return;
        this.cells[at] = diameter;
      } catch {
        if (run !== this.run) return;
        this.cells[at] = null;
      }
      this.draw();
    }
  }

  /** The cell of the problem as it is, if it has one. */
  private here(): [number, number] | undefined {
    if (!this.axes || !this.now) return undefined;
    const [x, y] = this.axes.map((knob) => (valueOf(knob, this.now!) - knob.low) / (knob.high - knob.low));
    if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1)) return undefined;
    return [Math.min(Math.floor(x * COLUMNS), COLUMNS - 1), Math.min(Math.floor((1 - y) * ROWS), ROWS - 1)];
  }

  /** Shows where the problem is while its numbers move. */
  follow(now: Scene): void {
    this.now = now;
    this.cursor = undefined;
    this.draw();
  }

  private frame() {
    const { width, height } = this.sheet;
    return { left: 52, top: 8, width: width - 62, height: height - 48 };
  }

  draw(): void {
    const { sheet } = this;
    sheet.clear();
    if (!this.axes) return;
    const { context } = sheet;
    const { left, top, width, height } = this.frame();
    const known = this.cells.filter((size): size is number => typeof size === "number");
    const most = Math.max(...known, 1e-12);
    const [w, h] = [width / COLUMNS, height / ROWS];
    this.cells.forEach((size, cell) => {
      const [x, y] = [left + (cell % COLUMNS) * w, top + Math.floor(cell / COLUMNS) * h];
      context.fillStyle = typeof size === "number" ? shade(size / most) : theme.grid;
      context.fillRect(x, y, w + 0.5, h + 0.5);
      if (size !== null) return;
      context.strokeStyle = theme.zero;
      context.lineWidth = 1;
      sheet.line([[x, y + h], [x + w, y]], false);
      context.stroke();
    });
    this.labels();
    const [x, y] = this.axes;
    const here = this.here();
    if (here && this.now) {
      const at = (knob: Knob) => (valueOf(knob, this.now!) - knob.low) / (knob.high - knob.low);
      this.pin(left + at(x) * width, top + (1 - at(y)) * height);
    }
    const [column, row] = this.cursor ?? here ?? [0, ROWS - 1];
    if (this.cursor) {
      [context.strokeStyle, context.lineWidth] = [theme.ink, 2];
      context.strokeRect(left + column * w, top + row * h, w, h);
    }
    const size = this.cells[row * COLUMNS + column];
    const found = typeof size === "number" ? short(size) : size === null ? "no such problem" : "not yet known";
    const place = this.cursor || !here ? `At ${named(x)} = ${short(this.value(0, column))}, ${named(y)} = ${short(this.value(1, row))}` : "You are here";
    this.caption.textContent =
      `${place}: ${found}. Colour is the largest distance of two outcomes over |v\u2212|, from none (one outcome) to ${known.length ? short(most) : "\u2026"} (strongest); ` +
      `${SAMPLES} samples a cell, ${known.length} of ${this.cells.length} cells${this.cells.includes(null) ? "; crossed-out ones cannot be computed" : ""}. ` +
      "Click a cell, or choose it with arrow keys and Enter, to go there.";
    this.canvas.ariaLabel = `A map of unpredictability. ${this.caption.textContent}`;
  }

  /** A pin, and what it says. */
  private pin(x: number, y: number): void {
    const { context, width } = this.sheet;
    context.beginPath();
    context.arc(x, y, 7, 0, 2 * Math.PI);
    [context.fillStyle, context.strokeStyle, context.lineWidth] = ["#c55100", "#ffffff", 2.5];
    context.fill();
    context.stroke();
    context.font = "bold 12px system-ui, sans-serif";
    const text = "you are here";
    const long = context.measureText(text).width;
    const from = x + 14 + long > width - 8 ? x - 14 - long : x + 14;
    [context.textAlign, context.textBaseline, context.lineWidth, context.strokeStyle] = ["left", "middle", 4, theme.paper];
    context.strokeText(text, from, y);
    context.fillStyle = theme.ink;
    context.fillText(text, from, y);
    context.font = "12px system-ui, sans-serif";
  }

  private labels(): void {
    const { context } = this.sheet;
    const { left, top, width, height } = this.frame();
    const [x, y] = this.axes!;
    context.fillStyle = theme.soft;
    context.textAlign = "center";
    context.textBaseline = "top";
    const across = ticks(x.low, x.high, 4);
    for (const t of across) {
      context.fillText(tick(t, across), left + ((t - x.low) / (x.high - x.low)) * width, top + height + 4);
    }
    context.fillText(named(x), left + width / 2, top + height + 22);
    context.textAlign = "right";
    context.textBaseline = "middle";
    const up = ticks(y.low, y.high, 4);
    for (const t of up) {
      context.fillText(tick(t, up), left - 5, top + (1 - (t - y.low) / (y.high - y.low)) * height);
    }
    context.save();
    context.translate(10, top + height / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillText(named(y), 0, 0);
    context.restore();
  }
}

const named = ({ group, name, unit }: Knob) =>
  `${group === "friction" || group === "restitution" ? `${group}, ${name}` : group === "velocity" ? `rate of ${name}` : name}${unit ? `, ${unit}` : ""}`;

/** A place in an order that visits all regions early. */
function scattered(cell: number): number {
  const [x, y] = [cell % COLUMNS, Math.floor(cell / COLUMNS)];
  let place = 0;
  for (let bit = 0; bit < 4; bit++) place = place * 4 + ((x >> bit) & 1) + 2 * ((y >> bit) & 1);
  return place;
}
