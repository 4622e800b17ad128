// The state of the page in the address: problem, seed, sample and axes.

import type { Wanted } from "./types";

/** What a link carries. */
export interface Linked {
  wanted: Wanted;
  sample?: number;
  axes?: string;
  device: string;
}

async function through(bytes: Uint8Array, stream: GenericTransformStream): Promise<Uint8Array> {
  const piped = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

async function packed(text: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(text: string): Promise<string> {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
}

const numbers = (text: string | null) => text?.split(",").map(Number);

/** The fragment of an address. */
export async function written({ wanted, sample, axes, device }: Linked): Promise<string> {
  const fields = new URLSearchParams();
  if (wanted.scene) fields.set("scene", wanted.scene);
  else fields.set("problem", await packed(wanted.text));
  for (const [name, value] of wanted.set) fields.append("set", `${name}=${value}`);
  if (wanted.velocity) fields.set("velocity", wanted.velocity.join(","));
  if (wanted.friction) fields.set("friction", wanted.friction.join(","));
  if (wanted.seed) fields.set("seed", String(wanted.seed));
  if (sample !== undefined) fields.set("sample", String(sample));
  if (axes) fields.set("axes", axes);
  if (device !== "auto") fields.set("device", device);
  return `#${fields}`;
}

/** What the fragment of an address says. */
export async function read(fragment: string): Promise<Linked> {
  const fields = new URLSearchParams(fragment.slice(1));
  const problem = fields.get("problem");
  const wanted: Wanted = {
    scene: problem ? undefined : (fields.get("scene") ?? "compass-gait"),
    text: problem ? await unpacked(problem) : "",
    set: fields.getAll("set").map((pair) => [pair.split("=")[0], Number(pair.split("=")[1])]),
    velocity: numbers(fields.get("velocity")),
    friction: numbers(fields.get("friction")),
    seed: Number(fields.get("seed") ?? 0),
  };
  const sample = fields.get("sample");
  return {
    wanted,
    sample: sample === null ? undefined : Number(sample),
    axes: fields.get("axes") ?? undefined,
    device: fields.get("device") ?? "auto",
  };
}
