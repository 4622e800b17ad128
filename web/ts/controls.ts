// Sliders for the numbers of a problem.

import { short } from "./numbers";
import type { Scene, Wanted } from "./types";

/** What sliders change, in their order. */
const GROUPS = ["velocity", "friction", "restitution", "pose"] as const;

/** A number of the problem that a slider or a map changes. */
export interface Knob {
  name: string;
  unit: string;
  group: (typeof GROUPS)[number];
  low: number;
  high: number;
  value: number;
  /** The problem with another value; other numbers are those of the scene now. */
  with: (wanted: Wanted, value: number, now: Scene) => Wanted;
}

/** A round number of at least `x`; 1 for 0. */
function round(x: number): number {
  if (x === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(x));
  return Number((Math.ceil(x / power) * power).toPrecision(2));
}

/** Friction above this is as good as infinite; a slider then goes where it matters. */
const ENDLESS = 20;

/** How far a slider moves a parameter, in its scale. */
const REACH = 3;

/** Halvings of a range that a parameter cannot leave. */
const HALVINGS = 8;

/** Part of the range of a slider below which a parameter cannot move alone. */
const STUCK = 0.01;

/**
 * Limits the ranges of parameters to where the problem exists, when each moves alone; returns the
 * knobs that can move.
 */
export async function reached(list: Knob[], works: (knob: Knob, value: number) => Promise<boolean>): Promise<Knob[]> {
  const free: Knob[] = [];
  for (const knob of list) {
    const { low, high, value } = knob;
    for (const end of knob.group === "pose" ? (["low", "high"] as const) : []) {
      if (await works(knob, knob[end])) continue;
      let [good, bad] = [value, knob[end]];
      for (let i = 0; i < HALVINGS; i++) {
        const middle = 0.5 * (good + bad);
        if (await works(knob, middle)) good = middle;
        else bad = middle;
      }
      knob[end] = good;
    }
    if (knob.high - knob.low > STUCK * (high - low)) free.push(knob);
  }
  return free;
}

/** The knobs of a problem as it is opened. */
export function knobs(scene: Scene): Knob[] {
  const size = (unit: string | null) =>
    Math.max(...scene.velocity.map((v, i) => (scene.units[i] === unit ? Math.abs(v) : 0)));
  const largest = Math.max(...scene.velocity.map(Math.abs)) || 1;
  const velocity = scene.coordinates.map((name, i): Knob => {
    const high = round(2 * (size(scene.units[i]) || largest));
    return {
      name, unit: scene.units[i] ?? "", group: "velocity", low: -high, high, value: scene.velocity[i],
      with: (wanted, value, now) => {
        const velocity = [...(wanted.velocity ?? now.velocity)];
        velocity[i] = value;
        return { ...wanted, velocity };
      },
    };
  });
  const most = Math.max(...scene.friction);
  const friction = of(scene, "friction", scene.friction, most > ENDLESS ? 5 : Math.max(1.5, round(1.5 * most)));
  const restitution = of(scene, "restitution", scene.restitution ?? scene.contacts.map(() => 0), 1);
  const pose = scene.parameters.map(({ name, value, min, max, scale }): Knob => ({
    name, unit: "", group: "pose", value,
    // A size without bounds stays one.
    low: Math.max(min ?? (value > 0 ? 0.05 * value : -Infinity), value - REACH * scale),
    high: Math.min(max ?? Infinity, value + REACH * scale),
    with: (wanted, value) => ({ ...wanted, set: [...wanted.set.filter(([known]) => known !== name), [name, value]] }),
  }));
  return [...velocity, ...(scene.tangents === 0 ? [] : friction), ...restitution, ...pose];
}

/** The knobs of coefficients: one for all contacts, and where these are few one for each. */
function of(scene: Scene, group: "friction" | "restitution", now: number[], high: number): Knob[] {
  const all: Knob = {
    name: "all contacts", unit: "", group, low: 0, high, value: now[0],
    with: (wanted, value) => ({ ...wanted, [group]: now.map(() => value) }),
  };
  const each = now.map((value, i): Knob => ({
    ...all, name: scene.contacts[i], value,
    with: (wanted, value, scene) => {
      const other = [...(wanted[group] ?? scene[group] ?? now)];
      other[i] = value;
      return { ...wanted, [group]: other };
    },
  }));
  return now.length > 1 && now.length <= 4 ? [all, ...each] : [all];
}

/** The value that a knob has in a problem that is open. */
export function valueOf(knob: Knob, scene: Scene): number {
  if (knob.group === "velocity") return scene.velocity[scene.coordinates.indexOf(knob.name)];
  if (knob.group === "pose") return scene.parameters.find(({ name }) => name === knob.name)?.value ?? knob.value;
  const at = scene.contacts.indexOf(knob.name);
  return scene[knob.group]?.[Math.max(at, 0)] ?? 0;
}

const HEADS = { velocity: "Velocity before", friction: "Friction", restitution: "Bounce (restitution)", pose: "Pose and shape" };

/** A step of a slider, so that steps from its least number lead to the number of the file. */
function step({ low, high, value }: Knob): number {
  const about = (high - low) / 400;
  const steps = Math.round((value - low) / about);
  return steps > 0 && value <= high ? (value - low) / steps : about;
}

/** Says the number of a slider. */
function tell(input: HTMLInputElement, { unit }: Knob, value: number): void {
  const text = `${short(value)}${unit ? ` ${unit}` : ""}`;
  input.nextElementSibling!.textContent = input.ariaValueText = text;
}

/** Fills an element with a slider for each knob. */
export function sliders(home: HTMLElement, list: Knob[], stuck: Knob[], moved: (knob: Knob, value: number) => void): void {
  home.replaceChildren();
  for (const group of GROUPS) {
    const members = list.filter((knob) => knob.group === group);
    const left = stuck.filter((knob) => knob.group === group);
    if (members.length + left.length === 0) continue;
    const set = document.createElement("fieldset");
    const legend = document.createElement("legend");
    legend.textContent = HEADS[group];
    set.append(legend);
    for (const knob of members) {
      const label = document.createElement("label");
      const [name, input, output] = [document.createElement("span"), document.createElement("input"), document.createElement("output")];
      name.textContent = knob.name;
      Object.assign(input, { type: "range", min: knob.low, max: knob.high, step: step(knob), value: knob.value });
      input.dataset.knob = `${group} ${knob.name}`;
      // Screen readers hear of the slider that moves, not of those that follow.
      output.ariaLive = "off";
      label.append(name, input, output);
      tell(input, knob, knob.value);
      input.addEventListener("input", () => {
        tell(input, knob, Number(input.value));
        const value = Number(Number(input.value).toPrecision(4));
        moved(knob, Math.min(Math.max(value, knob.low), knob.high));
      });
      set.append(label);
    }
    if (left.length > 0) {
      const note = document.createElement("p");
      note.textContent = `Moved alone, ${left.map(({ name }) => name).join(", ")} would take a contact away or make bodies overlap.`;
      set.append(note);
    }
    home.append(set);
  }
}

/** Lets the sliders show the numbers of a problem, except the one that has the focus. */
export function follow(home: HTMLElement, list: Knob[], scene: Scene): void {
  for (const input of home.querySelectorAll("input")) {
    const knob = list.find((knob) => `${knob.group} ${knob.name}` === input.dataset.knob);
    if (!knob || input === document.activeElement) continue;
    const value = valueOf(knob, scene);
    input.value = String(value);
    tell(input, knob, value);
  }
}
