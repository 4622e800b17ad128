// Sampling through WebGPU, by the engine's recipe. Samples that a dispatch leaves unfinished are
// dispatched again.

import { Engine, type Place } from "./engine";

/** The recipe of a kernel, as the engine makes it; see ../src/recipe.rs. */
export interface Recipe {
  kernel: string;
  solver: string;
  key: string;
  text: string;
  entry: string;
  chunk: number;
  group: number;
  share: number;
  fewest: number;
  buffers: { binding: number; storage?: boolean; array?: Place; bytes_of_sample?: number }[];
  run: number;
  remaining: number;
  endings: number;
  impulses: number;
  state: number;
  uniform: Place;
  words: { first: number; count: number; fresh: number; threads: number; stride: number };
}

/** A pipeline with the buffers of its samples. */
interface Kernel {
  key: string;
  pipeline: GPUComputePipeline;
  capacity: number;
  buffers: Map<number, GPUBuffer>;
  read: GPUBuffer;
  group?: GPUBindGroup;
}

const LIMITS = [
  "maxStorageBuffersPerShaderStage", "maxStorageBufferBindingSize", "maxBufferSize", "maxComputeWorkgroupStorageSize",
] as const;

export class Gpu {
  private readonly pipelines = new Map<string, GPUComputePipeline>();
  private kernel?: Kernel;
  lost = false;

  private constructor(
    readonly device: GPUDevice,
    readonly name: string,
    readonly hardware: boolean,
  ) {
    void device.lost.then(() => (this.lost = true));
  }

  /** The adapter, if there is one. */
  static async open(): Promise<Gpu | undefined> {
    const adapter = await navigator.gpu?.requestAdapter();
    if (!adapter) return undefined;
    const requiredLimits = Object.fromEntries(LIMITS.map((limit) => [limit, adapter.limits[limit]]));
    const device = await adapter.requestDevice({ requiredLimits });
    const { vendor, architecture, description, isFallbackAdapter } = adapter.info;
    const name = description || [vendor, architecture].filter(Boolean).join(" ") || "WebGPU";
    const software = isFallbackAdapter || /swiftshader|llvmpipe|software/i.test([vendor, architecture, description].join());
    return new Gpu(device, name, !software);
  }

  /** The limits of the device, for the engine. */
  get limits(): object {
    const { maxStorageBufferBindingSize, maxComputeWorkgroupStorageSize } = this.device.limits;
    return {
      name: this.name,
      hardware: this.hardware,
      storage_buffer_bytes: maxStorageBufferBindingSize,
      workgroup_memory_bytes: maxComputeWorkgroupStorageSize,
    };
  }

  /** The pipeline of a text. Fails with what the compiler says. */
  async pipeline(key: string, code: string, entryPoint: string): Promise<GPUComputePipeline> {
    const known = this.pipelines.get(key);
    if (known) return known;
    const module = this.device.createShaderModule({ label: key, code });
    const { messages } = await module.getCompilationInfo();
    const errors = messages.filter((message) => message.type === "error");
    if (errors.length > 0) throw new Error(errors.map((e) => `line ${e.lineNum}: ${e.message}`).join("; "));
    const made = await this.device.createComputePipelineAsync({ layout: "auto", compute: { module, entryPoint } });
    this.pipelines.set(key, made);
    return made;
  }

  /**
   * Computes samples `first .. first + count` of the problem that is open, at most `recipe.chunk`,
   * and lets the engine check them.
   */
  async sample(engine: Engine, recipe: Recipe, first: number, count: number): Promise<void> {
    const { device } = this;
    if (this.lost) throw new Error("the device is lost");
    device.pushErrorScope("out-of-memory");
    device.pushErrorScope("validation");
    try {
      await this.dispatched(engine, recipe, first, count);
    } finally {
      // An invalid submission leaves the bytes of an earlier one to pass as new.
      const scopes = [device.popErrorScope(), device.popErrorScope()].map((scope) => scope.catch(() => null));
      const wrong = (await Promise.all(scopes)).find((error) => error !== null);
      if (wrong) throw new Error(wrong.message);
    }
    engine.ask({ ask: "finish", first, count });
  }

  private async dispatched(engine: Engine, recipe: Recipe, first: number, count: number): Promise<void> {
    const { device } = this;
    const kernel = await this.prepare(recipe, count);
    for (const { binding, array } of recipe.buffers) {
      if (array) this.fill(kernel, binding, engine.bytes(array));
    }
    const uniform = new Uint32Array(engine.bytes(recipe.uniform).slice().buffer);
    const { words } = recipe;
    uniform[words.first] = first >>> 0;
    uniform[words.first + 1] = Math.floor(first / 2 ** 32);
    uniform[words.count] = count;
    uniform[words.fresh] = 1;
    // Where there are enough samples for all threads, each computes several.
    const { share, fewest, group } = recipe;
    const threads = Math.min(kernel.capacity, group * Math.ceil(Math.max(count / share, Math.min(fewest, count)) / group));
    [uniform[words.threads], uniform[words.stride]] = [share > 1 ? threads : kernel.capacity, kernel.capacity];
    kernel.group ??= device.createBindGroup({
      layout: kernel.pipeline.getBindGroupLayout(0),
      entries: [...kernel.buffers].map(([binding, buffer]) => ({ binding, resource: { buffer } })),
    });
    const buffer = (binding: number) => kernel.buffers.get(binding)!;
    const [endings, impulses] = [8 * count, recipe.state * count];
    for (;;) {
      device.queue.writeBuffer(buffer(recipe.run), 0, uniform);
      const encoder = device.createCommandEncoder();
      encoder.clearBuffer(buffer(recipe.remaining));
      const pass = encoder.beginComputePass();
      pass.setPipeline(kernel.pipeline);
      pass.setBindGroup(0, kernel.group);
      pass.dispatchWorkgroups(Math.ceil((share > 1 ? threads : count) / group));
      pass.end();
      encoder.copyBufferToBuffer(buffer(recipe.remaining), 0, kernel.read, 0, 4);
      encoder.copyBufferToBuffer(buffer(recipe.endings), 0, kernel.read, 8, endings);
      encoder.copyBufferToBuffer(buffer(recipe.impulses), 0, kernel.read, 8 + endings, impulses);
      device.queue.submit([encoder.finish()]);
      await kernel.read.mapAsync(GPUMapMode.READ);
      const left = new Uint8Array(kernel.read.getMappedRange());
      const done = new Uint32Array(left.buffer, 0, 1)[0] === 0;
      if (done) engine.array(endings + impulses).set(left.subarray(8, 8 + endings + impulses));
      kernel.read.unmap();
      if (done) break;
      uniform[words.fresh] = 0;
    }
  }

  /** The kernel of a recipe, with memory for so many samples. */
  private async prepare(recipe: Recipe, count: number): Promise<Kernel> {
    const known = this.kernel;
    if (known?.key === recipe.key && known.capacity >= count) return known;
    const pipeline = await this.pipeline(recipe.key, recipe.text, recipe.entry);
    known?.buffers.forEach((buffer) => buffer.destroy());
    known?.read.destroy();
    const capacity = Math.min(recipe.chunk, Math.max(2048, 2 ** Math.ceil(Math.log2(count))));
    const { UNIFORM, STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    const made = (bytes: number, usage: number) => this.device.createBuffer({ size: Math.max(16, bytes), usage });
    const buffers = new Map([
      [recipe.run, made(recipe.uniform[1], UNIFORM | COPY_DST)],
      [recipe.remaining, made(4, STORAGE | COPY_SRC | COPY_DST)],
    ]);
    for (const { binding, bytes_of_sample } of recipe.buffers) {
      if (bytes_of_sample) buffers.set(binding, made(bytes_of_sample * capacity, STORAGE | COPY_SRC));
    }
    for (const { binding, storage, array } of recipe.buffers) {
      if (array) buffers.set(binding, made(array[1], (storage ? STORAGE : UNIFORM) | COPY_DST));
    }
    const read = made(8 + (8 + recipe.state) * capacity, MAP_READ | COPY_DST);
    return (this.kernel = { key: recipe.key, pipeline, capacity, buffers, read });
  }

  /** Writes what is the same for all samples. A problem with more of it gets a larger buffer. */
  private fill(kernel: Kernel, binding: number, contents: Uint8Array): void {
    const old = kernel.buffers.get(binding)!;
    if (old.size < contents.length) {
      kernel.buffers.set(binding, this.device.createBuffer({ size: contents.length, usage: old.usage }));
      kernel.group = undefined;
      old.destroy();
    }
    this.device.queue.writeBuffer(kernel.buffers.get(binding)!, 0, contents as Uint8Array<ArrayBuffer>);
  }
}
