// The state of the page in the address: problem, seed, sample and axes.

import type { Wanted } from "./types";

/** The scene of an address that names none. */
export const FIRST = "tailed-runner";

/** What an empty address stands for. */
const OPENING = "#scene=tailed-runner&restitution=0.5,0.5";

/** Characters of the longest problem of a link. */
const LONGEST = 4e6;

/** The content of a link. */
export interface Linked {
  wanted: Wanted;
  sample?: number;
  /** What is wrong with the number of the sample. */
  said?: string;
  axes?: string;
  device: string;
}

async function packed(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let characters = "";
  for (let at = 0; at < bytes.length; at += 0x8000) characters += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** A text that was packed; fails where it is longer than any problem. */
async function unpacked(text: string): Promise<string> {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder();
  for (let out = ""; ; ) {
    const { done, value } = await reader.read();
    if (done) return out + decoder.decode();
    out += decoder.decode(value, { stream: true });
    if (out.length > LONGEST) {
      await reader.cancel();
      throw new Error("the problem in this link is longer than 4 million characters");
    }
  }
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
  if (wanted.restitution) fields.set("restitution", wanted.restitution.join(","));
  if (wanted.seed) fields.set("seed", String(wanted.seed));
  if (sample !== undefined) fields.set("sample", String(sample));
  if (axes) fields.set("axes", axes);
  if (device !== "auto") fields.set("device", device);
  return `#${fields}`;
}

/** What the fragment of an address says. Fails with what is wrong with it. */
export async function read(fragment: string): Promise<Linked> {
  const fields = new URLSearchParams((fragment.length > 1 ? fragment : OPENING).slice(1));
  const problem = fields.get("problem");
  const numbers = (field: string) => fields.get(field)?.split(",").map((text) => number(field, text));
  const cut = (error: Error) => {
    throw /longer than/.test(error.message) ? error : new Error("the problem in this link cannot be read; the link may be cut off");
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
    restitution: numbers("restitution"),
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
