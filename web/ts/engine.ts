// The engine in WebAssembly: requests and answers as JSON, arrays in its memory. See
// ../src/memory.rs.

/** Where an array lies in the engine's memory: its address and its length in bytes. */
export type Place = [number, number];

/** What is wrong with a request, as the engine says it. */
export class Refused extends Error {
  constructor(what: string, readonly at?: string, readonly hint?: string, readonly line?: number) {
    super(what);
  }
}

interface Exports {
  memory: WebAssembly.Memory;
  request(bytes: number): number;
  array(bytes: number): number;
  ask(): number;
  answer_bytes(): number;
}

/** Loads what runs in any number of engines. */
export async function load(url: string | URL): Promise<WebAssembly.Module> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} cannot be loaded (${answer.status})`);
  return WebAssembly.compile(await answer.arrayBuffer());
}

export class Engine {
  private constructor(private readonly exports: Exports) {}

  static async start(compiled: WebAssembly.Module): Promise<Engine> {
    const { exports } = await WebAssembly.instantiate(compiled, {});
    return new Engine(exports as unknown as Exports);
  }

  /**
   * The answer to a request; `fill` puts an array for it into memory first. Addresses in the answer
   * last until the next request.
   */
  ask<T>(request: object): T {
    const text = new TextEncoder().encode(JSON.stringify(request));
    const at = this.exports.request(text.length);
    this.bytes([at, text.length]).set(text);
    const answer = this.exports.ask();
    const json = new TextDecoder().decode(this.bytes([answer, this.exports.answer_bytes()]));
    const value = JSON.parse(json);
    if (value.error !== undefined) throw new Refused(value.error, value.at, value.hint, value.line);
    return value;
  }

  /** Memory for the array of the next request. */
  array(bytes: number): Uint8Array {
    return this.bytes([this.exports.array(bytes), bytes]);
  }

  bytes([at, length]: Place): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer, at, length);
  }
}
