// Dragging in the picture of the scene: velocities by their arrows, poses by the body.

import type { Knob } from "./controls";
import type { Post } from "./post";
import { still } from "./sketch";
import type { Stage } from "./stage";
import type { Point, Scene, Wanted } from "./types";

/** How near a knob a pointer grabs it, in pixels: a mouse, a finger. */
const [MOUSE, FINGER] = [14, 26];

/** Part of the range of a knob by which it is tried. */
const TRIED = 0.02;

/** What the page lends to whoever drags. */
export interface Lent {
  now: () => { wanted: Wanted; scene: Scene; knobs: Knob[] } | undefined;
  moved: (wanted: Wanted) => void;
  hover: (row: number | undefined) => void;
  chosen: (row: number) => void;
}

/** A pose that is dragged: how far the grabbed place goes per unit of a knob, in pixels. */
interface Hold {
  knob: Knob;
  value: number;
  along: Point;
}

export class Reins {
  private held?: { at: Point; body?: number; holds?: Hold[]; hold?: Hold; moved: boolean };
  private busy = false;
  private next?: () => Promise<void>;

  constructor(private readonly stage: Stage, private readonly post: Post, private readonly lent: Lent) {
    const { canvas } = stage.sheet;
    canvas.addEventListener("pointerdown", (event) => this.grab(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", () => this.leave());
    canvas.addEventListener("pointercancel", () => this.leave());
    canvas.addEventListener("pointerleave", () => this.held || lent.hover(undefined));
    // A finger on a knob does not scroll the page.
    canvas.addEventListener("touchstart", (event) => {
      const { left, top } = canvas.getBoundingClientRect();
      const [{ clientX, clientY }] = event.touches;
      if (stage.knob([clientX - left, clientY - top], FINGER) !== undefined) event.preventDefault();
    }, { passive: false });
  }

  private grab({ offsetX, offsetY, pointerId, pointerType }: PointerEvent): void {
    const now = this.lent.now();
    if (!now) return;
    const at: Point = [offsetX, offsetY];
    const body = this.stage.knob(at, pointerType === "touch" ? FINGER : MOUSE);
    if (body === undefined && pointerType === "touch") return;
    this.stage.sheet.canvas.setPointerCapture(pointerId);
    this.held = { at, body, moved: false };
    this.stage.held = body !== undefined;
    if (body === undefined) void this.holds(now.wanted, now.scene, now.knobs, at);
  }

  /** Finds what the knobs of the pose do to the place that was grabbed. */
  private async holds(wanted: Wanted, scene: Scene, knobs: Knob[], at: Point): Promise<void> {
    const { held } = this;
    const points = still(scene).filter(({ label }) => !label).flatMap(({ points }) => points);
    const { at: seen, scale } = this.stage.eye;
    const far = points.map((p) => Math.hypot(seen(p)[0] - at[0], seen(p)[1] - at[1]));
    const nearest = far.indexOf(Math.min(...far));
    const holds: Hold[] = [];
    for (const knob of knobs.filter(({ group }) => group === "pose")) {
      const value = scene.parameters.find(({ name }) => name === knob.name)!.value;
      const step = TRIED * (knob.high - knob.low) * (value + TRIED * (knob.high - knob.low) > knob.high ? -1 : 1);
      try {
        const other = await this.post.send<Scene>({ kind: "ask", request: { ask: "open", wanted: knob.with(wanted, value + step, scene) } });
        const moved = still(other).filter(({ label }) => !label).flatMap(({ points }) => points)[nearest];
        const along = [0, 1].map((i) => ((moved[i] - points[nearest][i]) / step) * scale * (i ? -1 : 1)) as Point;
        if (Math.hypot(...along) * (knob.high - knob.low) > 4) holds.push({ knob, value, along });
      } catch {
        // A knob that cannot move here is left out.
      }
    }
    if (held && held === this.held) held.holds = holds;
  }

  private move({ offsetX, offsetY }: PointerEvent): void {
    const now = this.lent.now();
    if (!now) return;
    const [x, y] = [offsetX, offsetY];
    const { held, stage } = this;
    if (!held) {
      const over = stage.knob([x, y], MOUSE) !== undefined;
      stage.sheet.canvas.style.cursor = over ? "grab" : "default";
      this.lent.hover(over ? undefined : stage.nearest([x, y]));
      return;
    }
    const by: Point = [x - held.at[0], y - held.at[1]];
    if (!held.moved && Math.hypot(...by) < 4) return;
    held.moved = true;
    if (held.body !== undefined) this.push(held.body, [x, y]);
    else if (held.holds?.length) this.turn(held.holds, by);
  }

  private push(body: number, [x, y]: Point): void {
    this.next = async () => {
      const { wanted, scene } = this.lent.now()!;
      const [from] = scene.scene!.velocities[body];
      const [cx, cy] = this.stage.eye.at(from);
      const velocity = [(x - cx) / this.stage.speed, (cy - y) / this.stage.speed];
      const pushed = await this.post.send<{ velocity: number[] }>({ kind: "ask", wanted, request: { ask: "push", body, velocity } });
      this.lent.moved({ ...wanted, velocity: pushed.velocity.map((v) => Number(v.toPrecision(4))) });
    };
    void this.serve();
  }

  /** One request at a time, and only the last one that waits. */
  private async serve(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    for (let next = this.next; next; next = this.next) {
      this.next = undefined;
      await next().catch(() => {});
    }
    this.busy = false;
  }

  /** Moves the knob along whose way the pointer goes. */
  private turn(holds: Hold[], by: Point): void {
    const held = this.held!;
    const with_ = ({ along }: Hold) => Math.abs(along[0] * by[0] + along[1] * by[1]) / Math.hypot(...along);
    held.hold ??= holds.reduce((best, one) => (with_(one) > with_(best) ? one : best));
    const { knob, value, along } = held.hold;
    const other = value + (along[0] * by[0] + along[1] * by[1]) / (along[0] ** 2 + along[1] ** 2);
    const { wanted, scene } = this.lent.now()!;
    this.lent.moved(knob.with(wanted, Number(Math.min(Math.max(other, knob.low), knob.high).toPrecision(4)), scene));
  }

  private leave(): void {
    const { held, stage } = this;
    this.held = undefined;
    stage.held = false;
    if (!held || held.moved) return;
    const row = stage.nearest(held.at);
    if (row !== undefined) this.lent.chosen(row);
  }
}
