// The state of the page in the address: problem, seed, sample and axes.

import type { Wanted } from "./types";

/** The scene of an address that names none. */
export const FIRST = "compass-gait";

/** The content of a link. */
export interface Linked {
  wanted: Wanted;
  sample?: number;
  /** What is wrong with the number of the sample. */
  said?: string;
  axes?: string;
  device: string;
}

async function through(bytes: Uint8Array, stream: GenericTransformStream): Promise<Uint8Array> {
  const piped = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

async function packed(text: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let characters = "";
  for (let at = 0; at < bytes.length; at += 0x8000) characters += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(text: string): Promise<string> {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
}

/** A number of a link; fails where it is none. */
function number(field: string, text: string | undefined): number {
  const value = text?.trim() ? Number(text) : NaN;
  if (!Number.isFinite(value)) throw new Error(`this link has no number in ${field}`);
  return value;
}

/** A seed or the number of a sample. */
function whole(field: string, text: string | null): number | undefined {
  if (text === null) return undefined;
  const value = number(field, text);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`the ${field} in this link is no whole number of at least 0: ${text}`);
  return value;
}

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

/** What the fragment of an address says. Fails with what is wrong with it. */
export async function read(fragment: string): Promise<Linked> {
  const fields = new URLSearchParams(fragment.slice(1));
  const problem = fields.get("problem");
  const numbers = (field: string) => fields.get(field)?.split(",").map((text) => number(field, text));
  const cut = () => {
    throw new Error("the problem in this link cannot be read; the link may be cut off");
  };
  const wanted: Wanted = {
    scene: problem === null ? fields.get("scene") || FIRST : undefined,
    text: problem === null ? "" : await unpacked(problem).catch(cut),
    set: fields.getAll("set").map((pair) => {
      const at = pair.lastIndexOf("=");
      return [pair.slice(0, Math.max(at, 0)), number(`set=${pair}`, pair.slice(at + 1))];
    }),
    velocity: numbers("velocity"),
    friction: numbers("friction"),
    seed: whole("seed", fields.get("seed")) ?? 0,
  };
  const device = fields.get("device") ?? "";
  const linked: Pick<Linked, "sample" | "said"> = {};
  try {
    linked.sample = whole("sample", fields.get("sample"));
  } catch (error) {
    linked.said = `${(error as Error).message}.`;
  }
  return {
    wanted,
    ...linked,
    axes: fields.get("axes") ?? undefined,
    device: ["gpu", "cpu"].includes(device) ? device : "auto",
  };
}
