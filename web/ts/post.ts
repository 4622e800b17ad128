// Orders to a worker, answered one after the other.

import { load } from "./engine";
import type { Fault, First, Order, Reply } from "./types";

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

declare global {
  /** The worker's address and the engine in a page that is one file; see ../onefile.mjs. */
  var carom: { worker: string; engine: Promise<WebAssembly.Module> } | undefined;
}

/** The engine, which is loaded and compiled once for all workers. */
const main = globalThis.carom?.engine ?? load("carom.wasm");

/** How many times longer than others the first order of a worker may take. */
const START = 20;

export class Post {
  private readonly waiting = new Map<number, (reply: Reply) => void>();
  private worker: Worker;
  private last = 0;
  private asked = Infinity;
  /** Whether the worker has answered yet: it may have a GPU to open first. */
  private awake = false;

  /** A worker that runs the engine, or another program. */
  constructor(private readonly program = main) {
    this.worker = this.employed();
  }

  private employed(): Worker {
    const worker = new Worker(globalThis.carom?.worker ?? "worker.js");
    const sent = (first: First) => worker.postMessage(first);
    void this.program.then((engine) => sent({ engine }), ({ message }: Error) => sent({ missing: message }));
    worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      this.awake = true;
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

  /**
   * Answers no order that has waited for so many ms, or for as long as a worker may take to start;
   * another worker takes the next ones. Says whether there were orders to stop.
   */
  stop(patience = 0): boolean {
    const longest = this.awake ? patience : START * patience;
    if (this.waiting.size === 0 || performance.now() - this.asked < longest) return false;
    this.worker.terminate();
    this.refuse("stopped");
    this.awake = false;
    this.worker = this.employed();
    return true;
  }

  /** Ends the worker; nothing can be sent any more. */
  close(): void {
    this.worker.terminate();
  }

  send<T>(order: Order): Promise<T> {
    const id = ++this.last;
    if (this.waiting.size === 0) this.asked = performance.now();
    this.worker.postMessage({ id, order });
    return new Promise((done, failed) => {
      this.waiting.set(id, ({ value, refused }) => (refused ? failed(new Refusal(refused)) : done(value as T)));
    });
  }
}
