// Orders to a worker, answered one after the other.

import type { Fault, Order, Reply } from "./types";

/** What the engine refuses, with its hint. */
export class Refusal extends Error {
  readonly what: string;

  constructor({ what, at, hint, line }: Fault) {
    const where = [at, line && `line ${line}`].filter(Boolean).join(", ");
    super(`${where ? `${where}: ` : ""}${what}${hint ? ` (${hint})` : ""}`);
    this.what = what;
  }
}

export class Post {
  private readonly worker = new Worker("worker.js", { type: "module" });
  private readonly waiting = new Map<number, (reply: Reply) => void>();
  private last = 0;

  constructor() {
    this.worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      this.waiting.get(data.id)?.(data);
      this.waiting.delete(data.id);
    };
  }

  send<T>(order: Order): Promise<T> {
    const id = ++this.last;
    this.worker.postMessage({ id, order });
    return new Promise((done, failed) => {
      this.waiting.set(id, ({ value, refused }) => (refused ? failed(new Refusal(refused)) : done(value as T)));
    });
  }
}
