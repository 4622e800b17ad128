// Laws with finitely many outcomes, as marks in the picture of the set.

import { stroke } from "./draw";
import type { Post, Refusal } from "./post";
import type { Outcomes, Point, Scene, Wanted } from "./types";

/** The numbers of the laws' colours, in their order. */
const COLOURS = [2, 4, 5, 1, 0, 6, 2, 1];

/** Longest time in ms for a law when numbers change. */
const PATIENCE = 500;

export class Laws {
  private found = new Map<number, Outcomes>();
  private run = 0;
  /** When the law was asked for that has not answered. */
  private asked = Infinity;

  constructor(
    private readonly post: Post,
    private readonly home: HTMLElement,
    private readonly palette: string[],
    private readonly names: string[],
    private readonly changed: () => void,
  ) {}

  colour = (law: number) => COLOURS[law % COLOURS.length];

  /** Drops results for other numbers; a law that takes too long is stopped. */
  forget(): void {
    this.run++;
    if (performance.now() - this.asked > PATIENCE) this.post.stop();
    this.asked = Infinity;
    this.found.clear();
    this.home.replaceChildren();
  }

  /** All outcomes of all laws, law by law. */
  async resolve(wanted: Wanted, scene: Scene): Promise<void> {
    const run = ++this.run;
    this.found.clear();
    this.home.replaceChildren();
    if (!scene.approaches) return;
    for (const [number, law] of this.names.entries()) {
      const say = (text: string, none: boolean) => {
        const entry = document.createElement("li");
        if (none) entry.className = "none";
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [36, 36];
        const context = canvas.getContext("2d")!;
        context.scale(2, 2);
        if (!none) stroke(context, number, [9, 9], 6, this.palette[this.colour(number)]);
        entry.append(canvas, text);
        this.home.append(entry);
      };
      this.asked = performance.now();
      try {
        const outcomes = await this.post.send<Outcomes>({ kind: "ask", wanted, request: { ask: "resolve", law } });
        if (run !== this.run) return;
        this.found.set(number, outcomes);
        const ended = this.ended(outcomes).length;
        const open = outcomes.outcomes.length - ended;
        say(`${law}: ${ended} outcome${ended === 1 ? "" : "s"}${open ? `, ${open} without an end` : ""}`, ended === 0);
        this.changed();
      } catch (error) {
        if (run !== this.run) return;
        say(`${law} does not apply: ${(error as Refusal).what.replace(/^the law `[^`]*`/, "it")}`, true);
      }
    }
    this.asked = Infinity;
  }

  private ended = ({ outcomes }: Outcomes) => outcomes.filter(({ status }) => status === "terminated");

  /** The outcomes as points of the axes with these numbers. */
  points(axes: number[]): { point: Point; law: number }[] {
    return [...this.found].flatMap(([law, outcomes]) =>
      this.ended(outcomes).map(({ values }) => ({ law, point: axes.map((i) => values[i]) as Point })),
    );
  }
}
