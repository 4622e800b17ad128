// What is proved of a set: a line that no outcome crosses, from a program of its own, which is
// loaded when a visitor wants it.

import { of } from "./dom";
import { load } from "./engine";
import { Post, Refusal } from "./post";
import type { Point, Wanted } from "./types";

/** What is proved so far: the corners of the line, and in how many directions. */
interface Side {
  polygon: Point[];
  done: number;
  proved: number;
}

export class Proof {
  /** The corners of the line; none as long as there is none. */
  polygon: Point[] = [];
  private post?: Post;
  private run = 0;
  private readonly box = of<HTMLInputElement>("proof");

  /** `settled` is what to prove, once nothing moves. */
  constructor(
    private readonly side: Post,
    private readonly settled: () => { wanted: Wanted; axes: string } | undefined,
    private readonly changed: () => void,
  ) {
    this.box.addEventListener("change", () => {
      this.forget();
      this.changed();
      void this.prove();
    });
  }

  /** Drops what is proved of other numbers. */
  forget(): void {
    this.run++;
    this.post?.stop();
    this.polygon = [];
    this.say("");
  }

  /** Proves bounds in one direction after the other, where a visitor wants them. */
  async prove(): Promise<void> {
    const now = this.settled();
    if (!this.box.checked || !now) return;
    if (globalThis.carom) {
      this.say("Proofs need the served page: this file is the page without them.");
      return;
    }
    const run = ++this.run;
    this.say("Proving\u2026");
    const { wanted, axes } = now;
    this.post ??= new Post(load("proof.wasm"));
    try {
      const { file } = await this.side.send<{ file: string }>({ kind: "ask", wanted, request: { ask: "file" } });
      if (run !== this.run) return;
      const open = { ask: "open", problem: file, axes };
      const { sides, kind, excludes } = await this.post.send<{ sides: number; kind: string; excludes: string }>({ kind: "ask", request: open });
      for (let done = 0; run === this.run && done < sides; ) {
        const next = await this.post.send<Side>({ kind: "ask", request: { ask: "side" } });
        if (run !== this.run) return;
        [this.polygon, done] = [next.polygon, next.done];
        const rest = done - next.proved;
        const how = `${next.proved} of ${sides} directions${rest ? `, found by a solver in ${rest}` : ""}`;
        this.say(
          this.polygon.length
            ? `The dashed line around the dots, proved in ${how}: ${excludes} (${kind}). What lies between is neither reached nor excluded; ` +
              "where no line is seen it lies beyond the picture."
            : `Proving: ${how}\u2026`,
        );
        this.changed();
      }
    } catch (error) {
      if (run !== this.run) return;
      const { message } = error as Refusal;
      this.say(`Nothing is proved here: ${message}.`);
      // What could not be loaded may be there at the next try.
      this.post?.close();
      this.post = undefined;
    }
  }

  private say(words: string): void {
    of("proved").textContent = words;
  }
}
