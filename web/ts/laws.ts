// The quarrel: laws with finitely many outcomes, as badges in the picture of the set.

import { element } from "./dom";
import { badge, letter, small } from "./marks";
import type { Post, Refusal } from "./post";
import type { Outcomes, Point, Scene, Wanted } from "./types";

/** Longest time in ms for a law when numbers change. */
const PATIENCE = 500;

/** What laws do, and who is like them, as ../../docs/choose.md has it with its sources. */
const SAID: Record<string, [string, string]> = {
  "anitescu-potra": ["all contacts at once, one complementarity problem", "Bullet, ODE and PhysX"],
  "cone-complementarity": ["all contacts at once, round friction cones", ""],
  "convex-relaxation": ["all contacts at once, made convex", "Todorov's contact model, without its softness"],
  sequential: ["one contact after the other", ""],
  propagative: ["frictionless reflections, one after the other", ""],
  "darboux-keller": ["one contact in space, in continuous impulse", ""],
  plus: ["rounds of compression and expansion", "Simbody"],
  compliant: ["springs and dampers", "MuJoCo's contacts"],
};

export class Laws {
  private found = new Map<number, Outcomes>();
  private run = 0;
  private left: string[] = [];

  constructor(
    private readonly post: Post,
    private readonly home: HTMLElement,
    private readonly names: string[],
    private readonly changed: () => void,
  ) {}

  /** Drops results for other numbers; a law that takes too long is stopped. */
  forget(): void {
    this.run++;
    this.post.stop(PATIENCE);
    this.found.clear();
  }

  /** All outcomes of all laws, law by law; whether they are those of the numbers now. */
  async resolve(wanted: Wanted, scene: Scene): Promise<boolean> {
    const run = ++this.run;
    this.found.clear();
    this.left = [];
    const entries: HTMLElement[] = [];
    // Entries for earlier numbers stand until all laws have answered.
    const empty = this.home.childElementCount === 0;
    if (scene.approaches) {
      for (const [number, law] of this.names.entries()) {
        try {
          const outcomes = await this.post.send<Outcomes>({ kind: "ask", wanted, request: { ask: "resolve", law } });
          if (run !== this.run) return false;
          this.found.set(number, outcomes);
          entries.push(this.entry(number, law, outcomes));
          if (empty) this.home.replaceChildren(...entries);
          this.changed();
        } catch (error) {
          if (run !== this.run) return false;
          this.left.push(`${law}: ${(error as Refusal).what.replace(/^the law `[^`]*`/, "it")}`);
        }
      }
    }
    this.home.replaceChildren(...entries, ...this.silent());
    return true;
  }

  private entry(number: number, law: string, outcomes: Outcomes): HTMLElement {
    const ended = this.ended(outcomes).length;
    const open = outcomes.outcomes.length - ended;
    const [does, who] = SAID[law] ?? ["", ""];
    const entry = element("li");
    const words = element("span");
    const count = `${ended} outcome${ended === 1 ? "" : "s"}${open ? `, ${open} without an end` : ""}`;
    const [first, rest] = who ? [`Like ${who}`, `: ${does}`] : [does.charAt(0).toUpperCase() + does.slice(1), ""];
    words.append(element("b", first || law), `${rest} (${law}) `, element("small", count));
    entry.append(small((context) => badge(context, letter(number), [10, 10])), words);
    return entry;
  }

  /** The laws that do not apply, folded up. */
  private silent(): HTMLElement[] {
    if (this.left.length === 0) return [];
    const [entry, folded] = [element("li", "", "none"), element("details")];
    folded.append(element("summary", this.left.length === 1 ? "1 law does not apply" : `${this.left.length} laws do not apply`), ...this.left.map((text) => element("p", text)));
    entry.append(folded);
    return [entry];
  }

  private ended = ({ outcomes }: Outcomes) => outcomes.filter(({ status }) => status === "terminated");

  /** The outcomes as badges on the axes with these numbers. */
  badges(axes: number[]): { point: Point; text: string }[] {
    return [...this.found].flatMap(([law, outcomes]) =>
      this.ended(outcomes).map(({ values }) => ({ text: letter(law), point: axes.map((i) => values[i]) as Point })),
    );
  }
}
