// The shader gate: every kernel is compiled by the browser, and some sample scenes beside the
// engine's own samples.

import { Engine, load } from "./engine";
import { Gpu, type Recipe } from "./gpu";

/** A scene, and a kernel that samples it; by default the one that serves it. */
interface Case {
  scene: string;
  steps?: boolean;
  kernel?: string;
  expected: string;
  /**
   * Largest share of samples that single precision may leave to the engine; these do not test the
   * kernel.
   */
  left?: number;
  /** Largest share of samples in which the engine takes other steps, as contacts rest. */
  others?: number;
  /** Whether the variant for hardware computes it. */
  hardware?: boolean;
}

/** Largest share left to the engine, where a case has none of its own. */
const LEFT = 0.03;

const CASES: Case[] = [
  { scene: "rocking-block", steps: true, expected: "table" },
  { scene: "disk-stack", steps: true, expected: "pivot" },
  { scene: "rocking-block", steps: true, kernel: "pivot", expected: "pivot", left: 0.16 },
  { scene: "rocking-block", steps: true, kernel: "shared", expected: "shared", left: 0.16 },
  { scene: "rocking-block", expected: "exact" },
  { scene: "compass-gait", expected: "exact" },
  { scene: "box-and-wall", expected: "exact" },
  { scene: "cube-on-edge", expected: "inclusion", others: 0.12 },
  { scene: "rocking-block", expected: "exact", hardware: true },
  { scene: "cube-on-edge", expected: "inclusion", others: 0.12, hardware: true },
  { scene: "brick-on-vertex", expected: "inclusion" },
];

interface Samples {
  velocity: number[];
  steps: number[];
  status: number[];
  repaired: boolean[];
}

/**
 * The result of a case: how many samples the kernel ended itself, how many of these agree with the
 * engine in status and steps, and how many in velocity; and how many have other steps, but the same
 * velocity up to the accuracy.
 */
export interface Shown {
  name: string;
  kernel: string;
  expected: string;
  samples: number;
  own: number;
  least: number;
  same: number;
  near: number;
  others: number;
  most: number;
  seconds: number;
}

/** Velocities agree within this part of the largest velocity before the impact. */
const NEAR = 2e-5;

/** What velocities may differ by after other steps, each with an error of its own. */
const OTHERWISE = 3e-4;

const pageUrl = (file: string) => new URL(file, location.href);

async function programs(engine: Engine, gpu: Gpu): Promise<{ count: number; faults: string[] }> {
  const { programs } = engine.ask<{ programs: { name: string; entry: string; text: string }[] }>({ ask: "programs" });
  const faults: string[] = [];
  for (const { name, entry, text } of programs) {
    const module = gpu.device.createShaderModule({ label: name, code: text });
    const { messages } = await module.getCompilationInfo();
    const errors = messages.filter(({ type }) => type === "error");
    if (errors.length > 0) {
      const lines = text.split("\n");
      faults.push(`${name}: ${errors.map((e) => `${e.message} in: ${lines[e.lineNum - 1]?.trim()}`).join("; ")}`);
      continue;
    }
    if (!text.includes(`fn ${entry}(`)) faults.push(`${name}: no entry point ${entry}`);
  }
  return { count: programs.length, faults };
}

async function compare(engine: Engine, gpu: Gpu, one: Case, count: number): Promise<Shown> {
  const begun = performance.now();
  const { velocity } = engine.ask<{ velocity: number[] }>({
    ask: "open", wanted: { scene: one.scene, text: "", set: [], seed: 7, steps: one.steps ?? false },
  });
  const recipe = engine.ask<Recipe>({ ask: "recipe", limits: { ...gpu.limits, ...(one.hardware && { hardware: true }) }, kernel: one.kernel ?? null });
  // A sixteenth of the threads, each of which computes sixteen samples.
  if (one.hardware) recipe.fewest = recipe.group;
  await gpu.sample(engine, recipe, 0, count);
  const theirs = engine.ask<Samples>({ ask: "samples" });
  engine.ask({ ask: "sample", first: 0, count });
  const ours = engine.ask<Samples>({ ask: "samples" });
  const n = velocity.length;
  const size = Math.max(...velocity.map(Math.abs));
  let [own, same, near, others] = [0, 0, 0, 0];
  for (let i = 0; i < count; i++) {
    if (theirs.repaired[i]) continue;
    own++;
    if (theirs.status[i] !== ours.status[i]) continue;
    const apart = Math.max(...Array.from({ length: n }, (_, k) => Math.abs(theirs.velocity[i * n + k] - ours.velocity[i * n + k])));
    if (theirs.steps[i] === ours.steps[i]) {
      same++;
      if (apart <= NEAR * size) near++;
    } else if (one.others && apart <= OTHERWISE * size) others++;
  }
  const least = (1 - (one.left ?? LEFT)) * count;
  const most = (one.others ?? 0) * own;
  const seconds = (performance.now() - begun) / 1e3;
  return { name: one.scene, kernel: recipe.kernel, expected: one.expected, samples: count, own, least, same, near, others, most, seconds };
}

async function gate() {
  const engine = await Engine.start(await load(pageUrl("carom.wasm")));
  const gpu = await Gpu.open();
  if (!gpu) throw new Error("no WebGPU adapter");
  const compiled = await programs(engine, gpu);
  const cases: (Shown | { name: string; error: string })[] = [];
  for (const one of CASES) {
    gpu.device.pushErrorScope("validation");
    try {
      cases.push(await compare(engine, gpu, one, 2048));
    } catch (error) {
      cases.push({ name: `${one.scene}, ${one.expected}`, error: (error as Error).message });
    }
    const error = await gpu.device.popErrorScope();
    if (error) cases.push({ name: one.scene, error: error.message });
  }
  return { adapter: gpu.name, compiled, cases };
}

Object.assign(window, { gate: gate() });
