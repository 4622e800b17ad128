// Sliders for the numbers of a problem.

import { short } from "./draw";
import type { Scene, Wanted } from "./types";

/** A number of the problem that a slider or a map changes. */
export interface Knob {
  name: string;
  unit: string;
  group: "velocity" | "friction" | "pose";
  low: number;
  high: number;
  value: number;
  /** The problem with another value. */
  with: (wanted: Wanted, value: number) => Wanted;
}

/** A round number of at least `x`; 1 for 0. */
function round(x: number): number {
  if (x === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(x));
  return Number((Math.ceil(x / power) * power).toPrecision(2));
}

/** The knobs of a problem as it is opened; `at` tells the values that are wanted now. */
export function knobs(scene: Scene): Knob[] {
  const size = (unit: string | null) =>
    Math.max(...scene.velocity.map((v, i) => (scene.units[i] === unit ? Math.abs(v) : 0)));
  const largest = Math.max(...scene.velocity.map(Math.abs)) || 1;
  const velocity = scene.coordinates.map((name, i): Knob => {
    const high = round(2 * (size(scene.units[i]) || largest));
    return {
      name, unit: scene.units[i] ?? "", group: "velocity", low: -high, high, value: scene.velocity[i],
      with: (wanted, value) => {
        const velocity = [...(wanted.velocity ?? scene.velocity)];
        velocity[i] = value;
        return { ...wanted, velocity };
      },
    };
  });
  const mu = scene.friction;
  const all: Knob = {
    name: "all contacts", unit: "", group: "friction", low: 0, high: Math.max(1.5, round(1.5 * Math.max(...mu))), value: mu[0],
    with: (wanted, value) => ({ ...wanted, friction: mu.map(() => value) }),
  };
  const each = mu.map((value, i): Knob => ({
    ...all, name: scene.contacts[i], value,
    with: (wanted, value) => {
      const friction = [...(wanted.friction ?? mu)];
      friction[i] = value;
      return { ...wanted, friction };
    },
  }));
  const friction = scene.tangents === 0 ? [] : mu.length > 1 && mu.length <= 4 ? [all, ...each] : [all];
  const pose = scene.parameters.map(({ name, value, min, max, scale }): Knob => ({
    name, unit: "", group: "pose", value,
    low: min ?? value - 2 * scale,
    high: max ?? value + 2 * scale,
    with: (wanted, value) => ({ ...wanted, set: [...wanted.set.filter(([known]) => known !== name), [name, value]] }),
  }));
  return [...velocity, ...friction, ...pose];
}

/** The value that a knob has in a problem that is open. */
export function valueOf(knob: Knob, scene: Scene): number {
  if (knob.group === "velocity") return scene.velocity[scene.coordinates.indexOf(knob.name)];
  if (knob.group === "pose") return scene.parameters.find(({ name }) => name === knob.name)!.value;
  const at = scene.contacts.indexOf(knob.name);
  return scene.friction[Math.max(at, 0)];
}

const HEADS = { velocity: "Velocity before", friction: "Friction", pose: "Pose and shape" };

/** Fills an element with a slider for each knob. */
export function sliders(home: HTMLElement, list: Knob[], moved: (knob: Knob, value: number) => void): void {
  home.replaceChildren();
  for (const group of ["velocity", "friction", "pose"] as const) {
    const members = list.filter((knob) => knob.group === group);
    if (members.length === 0) continue;
    const set = document.createElement("fieldset");
    const legend = document.createElement("legend");
    legend.textContent = HEADS[group];
    set.append(legend);
    for (const knob of members) {
      const label = document.createElement("label");
      const [name, input, output] = [document.createElement("span"), document.createElement("input"), document.createElement("output")];
      name.textContent = knob.name;
      Object.assign(input, { type: "range", min: knob.low, max: knob.high, step: (knob.high - knob.low) / 400, value: knob.value });
      input.dataset.knob = `${group} ${knob.name}`;
      const say = () => (output.textContent = `${short(Number(input.value))}${knob.unit ? ` ${knob.unit}` : ""}`);
      say();
      output.textContent = `${short(knob.value)}${knob.unit ? ` ${knob.unit}` : ""}`;
      input.addEventListener("input", () => {
        say();
        moved(knob, Number(Number(input.value).toPrecision(4)));
      });
      label.append(name, input, output);
      set.append(label);
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
    input.nextElementSibling!.textContent = `${short(value)}${knob.unit ? ` ${knob.unit}` : ""}`;
  }
}
