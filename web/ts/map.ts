// The size of the set over two numbers of the problem, cell by cell.

import type { Knob } from "./controls";
import { Sheet, short, tick, ticks } from "./draw";
import { Post } from "./post";
import type { Scene, Wanted } from "./types";

const [COLUMNS, ROWS, SAMPLES] = [16, 12, 256];

/** From pale to dark blue, in steps that any colour vision tells apart. */
const shade = (part: number) => `rgb(${[247, 251, 255].map((x, i) => Math.round(x + part * ([8, 48, 107][i] - x)))})`;

export class SizeMap {
  private readonly post = new Post();
  private readonly sheet: Sheet;
  private cells: (number | null | undefined)[] = [];
  private run = 0;
  private cursor = [0, ROWS - 1];
  private axes?: [Knob, Knob];

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
      const [column, row] = this.cursor;
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
    this.axes = undefined;
    this.canvas.hidden = true;
    this.caption.textContent = "";
  }

  /** Computes the map around a problem; a later call takes the place of an earlier one. */
  async compute(wanted: Wanted, now: Scene, x: Knob | undefined, y: Knob | undefined): Promise<void> {
    if (!x || !y || x === y) {
      this.forget();
      this.caption.textContent = "A map takes two different numbers: choose another one.";
      return;
    }
    const run = ++this.run;
    this.axes = [x, y];
    this.canvas.hidden = false;
    this.cells = Array(COLUMNS * ROWS).fill(undefined);
    // Coarse cells first: the order is that of bits reversed.
    const order = [...this.cells.keys()].sort((a, b) => scattered(a) - scattered(b));
    for (const cell of order) {
      const [column, row] = [cell % COLUMNS, Math.floor(cell / COLUMNS)];
      const at = y.with(x.with(wanted, this.value(0, column), now), this.value(1, row), now);
      try {
        const { diameter } = await this.post.send<{ diameter: number }>({
          kind: "ask",
          request: { ask: "size", wanted: at, samples: SAMPLES },
        });
        if (run !== this.run) return;
        this.cells[cell] = diameter;
      } catch {
        if (run !== this.run) return;
        this.cells[cell] = null;
      }
      this.draw();
    }
  }

  private frame() {
    const { width, height } = this.sheet;
    return { left: 52, top: 8, width: width - 62, height: height - 48 };
  }

  draw(): void {
    if (!this.axes) return;
    const { sheet } = this;
    sheet.clear();
    const { context } = sheet;
    const { left, top, width, height } = this.frame();
    const known = this.cells.filter((size): size is number => typeof size === "number");
    const most = Math.max(...known, 1e-12);
    const [w, h] = [width / COLUMNS, height / ROWS];
    this.cells.forEach((size, cell) => {
      const [x, y] = [left + (cell % COLUMNS) * w, top + Math.floor(cell / COLUMNS) * h];
      context.fillStyle = typeof size === "number" ? shade(size / most) : "#eeeeee";
      context.fillRect(x, y, w + 0.5, h + 0.5);
      if (size !== null) return;
      context.strokeStyle = "#999999";
      context.lineWidth = 1;
      sheet.line([[x, y + h], [x + w, y]], false);
      context.stroke();
    });
    const [x, y] = this.axes;
    context.fillStyle = "#222";
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
    const [column, row] = this.cursor;
    [context.strokeStyle, context.lineWidth] = ["#d55e00", 2];
    context.strokeRect(left + column * w, top + row * h, w, h);
    const size = this.cells[row * COLUMNS + column];
    const here = typeof size === "number" ? short(size) : size === null ? "no such problem" : "not yet known";
    const at = `${named(x)} = ${short(this.value(0, column))}, ${named(y)} = ${short(this.value(1, row))}`;
    this.caption.textContent =
      `Largest distance of two outcomes over |v\u2212|, from white (0) to dark (${short(most)}), ${SAMPLES} samples a cell. ` +
      `Marked: ${here} at ${at}. ${known.length} of ${this.cells.length} cells; crossed-out ones cannot be computed. ` +
      "Click a cell, or choose it with arrow keys and Enter, to go there.";
    this.canvas.setAttribute("aria-label", this.caption.textContent);
  }
}

const named = ({ group, name, unit }: Knob) =>
  `${group === "friction" ? `friction, ${name}` : group === "velocity" ? `rate of ${name}` : name}${unit ? `, ${unit}` : ""}`;

/** A place in an order that visits all regions early. */
function scattered(cell: number): number {
  const [x, y] = [cell % COLUMNS, Math.floor(cell / COLUMNS)];
  let place = 0;
  for (let bit = 0; bit < 4; bit++) place = place * 4 + ((x >> bit) & 1) + 2 * ((y >> bit) & 1);
  return place;
}
