// The messages between the page, its workers and the engine. Numbers are in SI units.

export type Point = [number, number];

/** Which problem is meant, and how it is sampled; see `Wanted` in ../src/opened.rs. */
export interface Wanted {
  scene?: string;
  text: string;
  set: [string, number][];
  velocity?: number[];
  friction?: number[];
  restitution?: number[];
  seed: number;
}

/** A part of a drawing. */
export interface Series {
  label: string;
  colour: number;
  mark: string;
  points: Point[];
}

/** A problem that is open. */
export interface Scene {
  name: string;
  coordinates: string[];
  units: (string | null)[];
  velocity: number[];
  speed: number;
  contacts: string[];
  friction: number[];
  restitution: number[] | null;
  tangents: number;
  parameters: { name: string; value: number; min: number | null; max: number | null; scale: number }[];
  process: string;
  on_the_cpu: string | null;
  approaches: boolean;
  warnings: string[];
  axes: string[];
  scene: { series: Series[]; names: [Point, string][]; velocities: [Point, Point][]; contacts: Point[] } | null;
}

export interface Axis {
  name: string;
  unit: string;
  scale: number;
}

/** Samples in a picture. */
export interface Picture {
  drawn: number;
  accepted: number;
  repaired: number;
  modes: { name: string; count: number }[];
  axes: [Axis, Axis];
  names: [string, string];
  before: number[];
  hull: Point[];
  /** The outlines of the polytopes that are the exact set, where it is soon known. */
  exact: Point[][] | null;
  places: Float32Array;
  mode: Uint32Array;
  numbers: Uint32Array;
}

/**
 * Ways of the scene: the one to the impact, then those of the samples in some rows of the picture.
 * A piece is the convex hull of so many points, with a radius in m; `points` has those of all
 * pieces, moment by moment, way by way.
 */
export interface Ghosts {
  rows: number[];
  pieces: [number, number][];
  moments: number;
  seconds: number;
  points: Float32Array;
}

/** How fast a machine samples. */
export interface Rate {
  samples: number;
  accepted: number;
  seconds: number;
  by: string;
}

export interface Frame {
  scene: Scene;
  picture: Picture;
  ghosts: Ghosts;
  by: string;
  gpu: boolean;
  seconds: number;
}

/** What a worker gets before all orders. */
export interface First {
  engine?: WebAssembly.Module;
  missing?: string;
}

export type Order =
  | { kind: "frame"; wanted: Wanted; count: number; axes: string | null; device: string }
  | { kind: "ghost"; number: number; row: number }
  | { kind: "rate"; wanted: Wanted; device: string; seconds: number }
  | { kind: "ask"; wanted?: Wanted; request: object };

export interface Fault {
  what: string;
  at?: string;
  hint?: string;
  line?: number;
}

export interface Reply {
  id: number;
  value?: unknown;
  refused?: Fault;
}

/** The path of a sample. */
export interface Path {
  sample: number;
  status: string;
  residual: number;
  repaired: boolean;
  velocity: number[];
  command: string;
  file: string;
  before: { velocity: number[]; kinetic_energy: number };
  path: { contacts: string[]; impulse: number[]; velocity: number[]; kinetic_energy: number }[];
  places: { values: number[]; energy: number; total: number[]; velocities: [Point, Point][] | null; impulses: Point[] | null }[];
}

export interface Outcomes {
  outcomes: { values: number[]; modes: string; status: string; number: number }[];
  distinct: number;
  complete: boolean;
}

export interface Listing {
  scenes: { name: string; about: string; text: string }[];
  laws: string[];
  colours: string[];
  version: string;
}
