// A worker with an engine of its own: it samples, through WebGPU where there is a GPU, and answers
// the page's other requests.

import { Engine, Refused, type Place } from "./engine";
import { Gpu, type Recipe } from "./gpu";
import type { Frame, Order, Picture, Reply, Scene } from "./types";

let engine: Promise<Engine> | undefined;
let gpu: Promise<Gpu | undefined> | undefined;

/** The engine; a new one where the last one has failed. */
const running = () => (engine ??= Engine.load(new URL("carom.wasm", self.location.href)));

/** The GPU, if the page wants it: `auto` takes no software. */
async function device(wanted: string): Promise<Gpu | undefined> {
  if (wanted === "cpu") return undefined;
  const found = await (gpu ??= Gpu.open().catch(() => undefined));
  return found && (found.hardware || wanted === "gpu") ? found : undefined;
}

/** Opens a problem, samples it, and places the samples in a picture. */
async function frame(engine: Engine, order: Order & { kind: "frame" }): Promise<[Frame, Transferable[]]> {
  const begun = performance.now();
  const { wanted, count, axes } = order;
  const scene = engine.ask<Scene>({ ask: "open", wanted });
  let on = scene.on_the_cpu ? undefined : await device(order.device);
  let by = order.device === "gpu" && !on && !scene.on_the_cpu ? "WebAssembly, as this browser offers no WebGPU" : "WebAssembly";
  if (on) {
    try {
      const recipe = engine.ask<Recipe>({ ask: "recipe", limits: on.limits });
      await on.sample(engine, recipe, 0, Math.min(count, recipe.chunk));
      by = `WebGPU, ${on.name}`;
    } catch (error) {
      // What a kernel does not take, and a device that is lost.
      by = `WebAssembly, as WebGPU failed: ${(error as Error).message}`;
      on = undefined;
      if (!(error instanceof Refused)) gpu = Promise.resolve(undefined);
    }
  }
  if (!on) engine.ask({ ask: "sample", first: 0, count });
  const points = engine.ask<Picture & { arrays: Record<"places" | "modes" | "numbers", Place> }>({ ask: "points", axes });
  const copy = (place: Place) => engine.bytes(place).slice().buffer;
  const places = new Float32Array(copy(points.arrays.places));
  const modes = new Uint32Array(copy(points.arrays.modes));
  const numbers = new Uint32Array(copy(points.arrays.numbers));
  const picture = { ...points, places, mode: modes, numbers };
  const seconds = (performance.now() - begun) / 1e3;
  return [{ scene, picture, by, gpu: on !== undefined, seconds }, [places.buffer, modes.buffer, numbers.buffer]];
}

async function answer(order: Order): Promise<[unknown, Transferable[]]> {
  const ready = await running();
  if (order.kind === "frame") return frame(ready, order);
  if (order.wanted) ready.ask({ ask: "open", wanted: order.wanted });
  return [ready.ask(order.request), []];
}

let last: Promise<void> = Promise.resolve();

self.onmessage = ({ data }: MessageEvent<{ id: number; order: Order }>) => {
  last = last.then(async () => {
    const { id, order } = data;
    let reply: Reply;
    let arrays: Transferable[] = [];
    try {
      const [value, transferred] = await answer(order);
      arrays = transferred;
      reply = { id, value };
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof Refused) {
        reply = { id, refused: { what: message, at: error.at, hint: error.hint, line: error.line } };
      } else {
        [engine, gpu] = [undefined, undefined];
        reply = { id, refused: { what: `the engine failed: ${message}`, hint: "reset the problem, or reload the page" } };
      }
    }
    self.postMessage(reply, { transfer: arrays });
  });
};
