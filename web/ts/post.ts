// Orders to a worker, answered one after the other.

import type { Fault, Order, Reply } from "./types";

/** What the engine refuses, with its hint. */
export class Refusal extends Error {
  readonly what: string;
  readonly at?: string;

  constructor({ what, at, hint, line }: Fault) {
    const name = at?.replace(/^--/, "");
    const where = name?.startsWith("line ") ? name : [name, line && line > 1 && `line ${line}`].filter(Boolean).join(", ");
    super(`${where ? `${where}: ` : ""}${what}${hint ? ` (${hint})` : ""}`);
    [this.what, this.at] = [what, name];
  }
}

export class Post {
  private readonly waiting = new Map<number, (reply: Reply) => void>();
  private worker = this.employed();
  private last = 0;

  private employed(): Worker {
    const worker = new Worker("worker.js", { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      this.waiting.get(data.id)?.(data);
      this.waiting.delete(data.id);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.refuse(event.message ? `the engine failed: ${event.message}` : "worker.js cannot be loaded", "reload the page");
    };
    return worker;
  }

  private refuse(what: string, hint?: string): void {
    for (const [id, answered] of [...this.waiting]) answered({ id, refused: { what, hint } });
    this.waiting.clear();
  }

  /** Answers no order that still waits; another worker takes the next ones. */
  stop(): void {
    if (this.waiting.size === 0) return;
    this.worker.terminate();
    this.refuse("stopped");
    this.worker = this.employed();
  }

  send<T>(order: Order): Promise<T> {
    const id = ++this.last;
    this.worker.postMessage({ id, order });
    return new Promise((done, failed) => {
      this.waiting.set(id, ({ value, refused }) => (refused ? failed(new Refusal(refused)) : done(value as T)));
    });
  }
}
