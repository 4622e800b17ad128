// A worker with an engine of its own: it samples, through WebGPU where there is a GPU, and answers
// the page's other requests.

import { Engine, Refused, type Place } from "./engine";
import { spread } from "./ghosts";
import { Gpu, type Recipe } from "./gpu";
import type { First, Frame, Ghosts, Order, Picture, Rate, Reply, Scene } from "./types";

let engine: Promise<Engine> | undefined;
let gpu: Promise<Gpu | undefined> | undefined;

/** Devices that were lost, and how many are too many. */
let losses = 0;
const LOSSES = 3;

/** Most samples at a time, where speed is measured. */
const MOST = 1 << 17;

/** What the page sends first: the engine, compiled, or why there is none. */
let arrived: (first: First) => void;
const compiled = new Promise<First>((done) => (arrived = done)).then(({ engine, missing }) => {
  if (!engine) throw new Error(missing);
  return engine;
});

/** The engine; a new one where the last one has failed. */
const running = () => (engine ??= compiled.then(Engine.start));

/** The GPU, if the page wants it: `auto` takes no software. */
async function device(wanted: string): Promise<Gpu | undefined> {
  if (wanted === "cpu") return undefined;
  let found = await (gpu ??= Gpu.open().catch(() => undefined));
  // A device that is lost, say by a new driver, is opened anew a few times.
  if (found?.lost && losses++ < LOSSES) found = await (gpu = Gpu.open().catch(() => undefined));
  return found && !found.lost && (found.hardware || wanted === "gpu") ? found : undefined;
}

/** Samples the problem that is open, on the GPU where it can; says by what. */
async function sampled(engine: Engine, scene: Scene, wanted: string, first: number, count: number): Promise<[string, boolean]> {
  const on = scene.on_the_cpu ? undefined : await device(wanted);
  let by = "WebAssembly";
  if (wanted === "gpu" && !on && !scene.on_the_cpu) by += losses > LOSSES ? ", as the GPU was lost" : ", as this browser offers no WebGPU";
  if (on) {
    try {
      const recipe = engine.ask<Recipe>({ ask: "recipe", limits: on.limits });
      await on.sample(engine, recipe, first, Math.min(count, recipe.chunk));
      return [`WebGPU, ${on.name}`, true];
    } catch (error) {
      // What a kernel does not take, and a device that fails.
      by = `WebAssembly, as WebGPU failed: ${(error as Error).message}`;
      if (!(error instanceof Refused) && !on.lost) gpu = Promise.resolve(undefined);
    }
  }
  engine.ask({ ask: "sample", first, count });
  return [by, false];
}

/** The ways of these samples, which lie in these rows of the picture. */
function ghosts(engine: Engine, samples: number[], rows: number[]): Ghosts {
  const found = engine.ask<Ghosts & { array?: Place }>({ ask: "ghosts", samples });
  return { ...found, rows, points: new Float32Array(found.array ? engine.bytes(found.array).slice().buffer : new ArrayBuffer(0)) };
}

/** Opens a problem, samples it, and places the samples in a picture. */
async function frame(engine: Engine, order: Order & { kind: "frame" }): Promise<[Frame, Transferable[]]> {
  const begun = performance.now();
  const { wanted, count, axes } = order;
  const scene = engine.ask<Scene>({ ask: "open", wanted });
  const [by, gpu] = await sampled(engine, scene, order.device, 0, count);
  const points = engine.ask<Picture & { arrays: Record<"places" | "modes" | "numbers", Place> }>({ ask: "points", axes });
  const copy = (place: Place) => engine.bytes(place).slice().buffer;
  const places = new Float32Array(copy(points.arrays.places));
  const modes = new Uint32Array(copy(points.arrays.modes));
  const numbers = new Uint32Array(copy(points.arrays.numbers));
  const picture = { ...points, places, mode: modes, numbers };
  const rows = spread(places);
  const ways = ghosts(engine, rows.map((row) => numbers[row]), rows);
  const seconds = (performance.now() - begun) / 1e3;
  return [{ scene, picture, ghosts: ways, by, gpu, seconds }, [places.buffer, modes.buffer, numbers.buffer, ways.points.buffer]];
}

/** Samples for so many seconds, with more and more samples at a time. */
async function rate(engine: Engine, { wanted, device, seconds }: Order & { kind: "rate" }): Promise<Rate> {
  const scene = engine.ask<Scene>({ ask: "open", wanted });
  let [samples, accepted, count, by] = [0, 0, 1024, ""];
  await sampled(engine, scene, device, 0, count);
  const begun = performance.now();
  const since = () => (performance.now() - begun) / 1e3;
  while (since() < seconds) {
    [by] = await sampled(engine, scene, device, samples, count);
    samples += count;
    accepted += engine.ask<{ accepted: number }>({ ask: "count" }).accepted;
    if (count < MOST && since() < 0.5 * seconds) count *= 2;
  }
  return { samples, accepted, seconds: since(), by };
}

async function answer(order: Order): Promise<[unknown, Transferable[]]> {
  const ready = await running();
  if (order.kind === "frame") return frame(ready, order);
  if (order.kind === "rate") return [await rate(ready, order), []];
  if (order.kind === "ghost") return [ghosts(ready, [order.number], [order.row]), []];
  if (order.wanted) ready.ask({ ask: "open", wanted: order.wanted });
  return [ready.ask(order.request), []];
}

let last: Promise<void> = Promise.resolve();

self.onmessage = ({ data }: MessageEvent<First | { id: number; order: Order }>) => {
  if (!("order" in data)) {
    arrived(data);
    return;
  }
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
