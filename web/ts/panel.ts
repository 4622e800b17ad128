// The sliders of a problem, and the choices of its axes and of its map.

import { knobs, reached, sliders, type Knob } from "./controls";
import { of } from "./dom";
import type { Post } from "./post";
import type { Scene, Wanted } from "./types";

export class Panel {
  /** The knobs that can move. */
  knobs: Knob[] = [];

  constructor(private readonly post: Post, private readonly moved: (knob: Knob, value: number) => void) {}

  /** Other knobs follow. */
  forget(): void {
    this.knobs = [];
    of("sliders").inert = true;
  }

  /** The knobs of a problem: those that can move, and the others. */
  async made({ scene: name, text, seed }: Wanted): Promise<[Knob[], Knob[]]> {
    // Sliders range about the numbers of the file, wherever a link has moved them.
    const base: Wanted = { scene: name, text, set: [], seed };
    const open = (wanted: Wanted) => this.post.send<Scene>({ kind: "ask", request: { ask: "open", wanted } });
    const scene = await open(base);
    const same = ({ contacts }: Scene) => contacts.join() === scene.contacts.join();
    const all = knobs(scene);
    const free = await reached(all, (knob, value) => open(knob.with(base, value, scene)).then(same, () => false));
    return [free, all.filter((knob) => !free.includes(knob))];
  }

  /** Shows them. */
  show([free, stuck]: [Knob[], Knob[]], now: Scene, axes: string[]): void {
    this.knobs = free;
    of("sliders").inert = false;
    sliders(of("sliders"), free, stuck, this.moved);
    for (const [id, at] of [["axis-x", 0], ["axis-y", 1]] as const) {
      const select = of<HTMLSelectElement>(id);
      select.replaceChildren(...now.axes.map((name) => new Option(name, name)));
      select.value = axes[at] ?? "";
    }
    const options = free.map((knob, i) => [`${knob.group}: ${knob.name}`, String(i)]);
    const [x, y] = this.usual();
    for (const [id, at] of [["map-x", x], ["map-y", y]] as const) {
      const select = of<HTMLSelectElement>(id);
      select.replaceChildren(...options.map(([text, value]) => new Option(text, value)));
      select.value = String(at);
    }
  }

  /**
   * Two numbers that say most: a pose or a velocity that is not 0, and the friction, or the
   * restitution where there is none.
   */
  private usual(): [number, number] {
    const first = (wanted: (knob: Knob) => boolean) => this.knobs.findIndex(wanted);
    const along = [first(({ group }) => group === "pose"), first(({ group, value }) => group === "velocity" && value !== 0), 0];
    const x = along.find((at) => at >= 0)!;
    const up = [first(({ group, value }) => group === "friction" && value > 0), first(({ group }) => group === "restitution"), Math.min(1, this.knobs.length - 1)];
    return [x, up.find((at) => at >= 0 && at !== x) ?? 0];
  }

  /** The two numbers of the map. */
  get charted(): (Knob | undefined)[] {
    return ["map-x", "map-y"].map((id) => this.knobs[Number(of<HTMLSelectElement>(id).value)]);
  }
}
