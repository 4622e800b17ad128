// The page: what is wanted, what is drawn of it, and what a visitor does.

import { follow, knobs, sliders, type Knob } from "./controls";
import { Plot, Sheet, colours, scene as drawScene, short, stamp, stroke } from "./draw";
import { Laws } from "./laws";
import { read, written } from "./link";
import { SizeMap } from "./map";
import { Post } from "./post";
import { ReplayView } from "./replay";
import type { Frame, Listing, Picture, Point, Scene, Wanted } from "./types";

/** Samples of a frame, least and most, and at most once numbers rest; what a frame takes meanwhile and then in s, about; when they rest in ms. */
const [FEW, MANY, ALL] = [1024, 1 << 15, 1 << 14];
const [MOVING, RESTING, RESTS] = [0.05, 1.5, 250];

/** Modes that have a colour of their own, and the number of the colour of the others. */
const COLOURED = 6;

const of = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const [plotted, side] = [new Post(), new Post()];
const plot = new Plot(of<HTMLCanvasElement>("plot"));
const stage = new Sheet(of<HTMLCanvasElement>("scene"));
const listing = await side.send<Listing>({ kind: "ask", request: { ask: "scenes" } });
const palette = listing.colours;
const inks = colours(palette);
const laws = new Laws(side, of("laws"), palette, listing.laws, () => paint());
const replay = new ReplayView(side, palette, () => paint());
const map = new SizeMap(of("map"), of("map-caption"), (...pair) => {
  for (const [knob, value] of pair) wanted = knob.with(wanted, value);
  changed();
});

let wanted: Wanted = { text: "", set: [], seed: 0 };
let device = "auto";
let axes: string | undefined;
let sample: number | undefined;
let scene: Scene | undefined;
let picture: Picture | undefined;
let controls: Knob[] = [];
let kinds = new Map<string, number>();
let hovered: number | undefined;
let [afresh, plotAfresh] = [true, true];

let [busy, dirty, count, moved] = [false, false, FEW, 0];
let wake = () => {};
/** The problem that was opened last; frames of others come too late. */
let problem = 0;
const rate = { all: 0, frames: 0, since: performance.now(), shown: 0 };

/** The numbers differ: draws frames until they show. */
function changed(): void {
  [dirty, moved] = [true, performance.now()];
  document.body.dataset.state = "moving";
  laws.forget();
  replay.forget();
  sample = undefined;
  wake();
  void frames();
}

/** Draws frames as long as numbers differ, and settles once they have rested for a while. */
async function frames(): Promise<void> {
  if (busy) return;
  busy = true;
  for (let rests = false; dirty || !rests; ) {
    if (dirty) {
      dirty = false;
      await frame(count);
      continue;
    }
    const left = RESTS - (performance.now() - moved);
    if (left <= 0) {
      await settle();
      rests = true;
      if (!dirty) document.body.dataset.state = "settled";
      continue;
    }
    await new Promise<void>((done) => {
      wake = done;
      setTimeout(done, left);
    });
  }
  busy = false;
}

/** One frame of so many samples. */
async function frame(samples: number): Promise<Frame | undefined> {
  const [asked, begun] = [problem, performance.now()];
  try {
    const order = { kind: "frame" as const, wanted, count: samples, axes: axes ?? null, device };
    const done = await plotted.send<Frame>(order);
    if (asked !== problem) return undefined;
    const first = scene === undefined || afresh;
    [scene, picture] = [done.scene, done.picture];
    hovered = undefined;
    if (first) await opened(done.scene);
    axes ??= picture.names.join(",");
    of("fault").textContent = "";
    rate.frames++;
    rate.all++;
    paint();
    say(done);
    if (samples === count) {
      const part = (performance.now() - begun) / 1e3 / MOVING;
      if (part < 0.45) count = Math.min(2 * count, MANY);
      if (part > 1.3) count = Math.max(count / 2, FEW);
    }
    return done;
  } catch (error) {
    of("fault").textContent = (error as Error).message;
    return undefined;
  }
}

/** More samples, the laws and the address, once nothing moves. */
async function settle(): Promise<void> {
  const per = await frame(count);
  if (!per || dirty) return;
  const affordable = (RESTING / Math.max(per.seconds, 1e-3)) * per.picture.drawn;
  const samples = Math.min(ALL, 2 ** Math.floor(Math.log2(affordable)));
  if (samples > count) await frame(samples);
  if (dirty) return;
  void laws.resolve(wanted, scene!);
  await address();
}

async function address(): Promise<void> {
  const fragment = await written({ wanted, sample, axes, device });
  history.replaceState(null, "", fragment);
  of<HTMLAnchorElement>("link").href = fragment;
}

/** Makes the controls of a problem that has just been opened. */
async function opened(now: Scene): Promise<void> {
  // Sliders range about the numbers of the file, wherever a link has moved them.
  const { scene: name, text, seed } = wanted;
  const request = { ask: "open", wanted: { scene: name, text, set: [], seed } };
  controls = knobs(await side.send<Scene>({ kind: "ask", request }));
  afresh = false;
  sliders(of("sliders"), controls, (knob, value) => {
    wanted = knob.with(wanted, value);
    changed();
  });
  for (const [id, at] of [["axis-x", 0], ["axis-y", 1]] as const) {
    const select = of<HTMLSelectElement>(id);
    select.replaceChildren(...now.axes.map((name) => new Option(name, name)));
    select.value = (axes?.split(",") ?? picture!.names)[at] ?? "";
  }
  const options = controls.map((knob, i) => [`${knob.group}: ${knob.name}`, String(i)]);
  for (const [id, at] of [["map-x", 0], ["map-y", 1]] as const) {
    const select = of<HTMLSelectElement>(id);
    select.replaceChildren(...options.map(([text, value]) => new Option(text, value)));
    const friction = controls.findIndex(({ group }) => group === "friction");
    const moving = controls.findIndex(({ group, value }) => group === "velocity" && value !== 0);
    select.value = String(at === 0 ? Math.max(moving, 0) : friction >= 0 ? friction : Math.min(1, controls.length - 1));
  }
  of("description").textContent =
    listing.scenes.find(({ name }) => name === wanted.scene)?.about ?? (now.name || "a problem of your own");
  of<HTMLCanvasElement>("scene").parentElement!.hidden = now.scene === null;
}

/** Draws the set and the scene. */
function paint(): void {
  if (!scene || !picture || plot.sheet.canvas.clientWidth === 0) return;
  const { places, mode, modes, hull, before } = picture;
  plot.sheet.clear();
  const at = picture.names.map((name) => scene!.axes.indexOf(name));
  const outcomes = of<HTMLInputElement>("marks").checked ? laws.points(at) : [];
  const path = replay.points(at);
  const reach = Math.max(...[0, 1].map((i) => Math.max(...hull.map((p) => p[i])) - Math.min(...hull.map((p) => p[i]))));
  const near = outcomes.map(({ point }) => point).filter((p) => hull.some((h) => [0, 1].every((i) => Math.abs(p[i] - h[i]) <= reach)));
  plot.show([...hull, ...near, ...path], picture.axes, plotAfresh);
  plotAfresh = false;
  plot.axes(picture.axes);
  const kind = modes.map(({ name }) => kindOf(name));
  plot.points(places, mode, kind, inks);
  const { context } = plot.sheet;
  context.save();
  if (of<HTMLInputElement>("hull").checked && hull.length > 1) plot.polygon(hull, "#000000", true);
  if (path.length > 1) plot.polygon(path, "#000000", false, 2);
  if (path.length > 0) plot.ring(path[Math.min(replay.step, path.length - 1)], 8, "#000000", 3);
  plot.mark(3, at.map((i) => before[i]) as Point, "#606060");
  for (const { point, law } of outcomes) plot.mark(law, point, palette[laws.colour(law)]);
  if (hovered !== undefined) plot.ring([places[2 * hovered], places[2 * hovered + 1]], 7, "#000000");
  context.restore();
  plot.sheet.canvas.ariaLabel = `${picture.accepted} outcomes, ${picture.axes[0].name} across, ${picture.axes[1].name} up`;
  legend(kind);
  if (scene.scene) {
    drawScene(stage, scene.scene.series, scene.scene.names, palette);
    replay.draw(scene);
  }
}
/** The number of the colour of modes; it stays what it is while numbers are dragged. */
function kindOf(name: string): number {
  if (!kinds.has(name)) kinds.set(name, Math.min(kinds.size, COLOURED));
  return kinds.get(name)!;
}

function legend(kind: number[]): void {
  const entries = picture!.modes.map(({ name, count }, i) => ({ name, count, kind: kind[i] }));
  entries.sort((a, b) => b.count - a.count);
  const share = (n: number) => `${((100 * n) / picture!.accepted).toFixed(1)} %`;
  const own = entries.filter((entry) => entry.kind < COLOURED);
  const rest = entries.filter((entry) => entry.kind === COLOURED);
  const items = own.map(({ name, count, kind }) => item(kind, `${name}: ${share(count)}`));
  if (rest.length) {
    const sum = rest.reduce((sum, { count }) => sum + count, 0);
    items.push(item(COLOURED, `${rest.length} more: ${share(sum)}`));
  }
  const before = document.createElement("li");
  const swatch = small((context) => stroke(context, 3, [9, 9], 5, "#606060"));
  before.append(swatch, "before the impact");
  of("legend").replaceChildren(...items, before);
}

function item(kind: number, text: string): HTMLElement {
  const entry = document.createElement("li");
  entry.append(small((context) => stamp(context, kind, [8, 8], 2.6, palette[kind])), text);
  return entry;
}

/** A small canvas for a legend. */
function small(paint: (context: CanvasRenderingContext2D) => void): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [36, 36];
  const context = canvas.getContext("2d")!;
  context.scale(2, 2);
  paint(context);
  return canvas;
}

/** What is drawn, how fast, and by what. */
function say(frame: Frame): void {
  const now = performance.now();
  if (now - rate.since > 500) {
    rate.shown = (1e3 * rate.frames) / (now - rate.since);
    [rate.frames, rate.since] = [0, now];
  }
  const { drawn, accepted, repaired } = frame.picture;
  const grouped = (n: number) => n.toLocaleString("en").replaceAll(",", "\u202f");
  const pace = `${(1e3 * frame.seconds).toFixed(0)} ms a frame, ${(drawn / frame.seconds / 1e3).toFixed(0)} thousand samples a second`;
  const why = frame.scene.on_the_cpu ? ` (${frame.scene.on_the_cpu})` : "";
  const quiet = frame.scene.approaches ? "" : " Nothing approaches: the velocity stays what it is.";
  of("status").textContent =
    `${grouped(drawn)} samples, ${grouped(accepted)} accepted, ${repaired} computed again in double precision; ` +
    `${pace}; ${frame.by}${why}; ${frame.scene.process}.${quiet} ${frame.scene.warnings.join(" ")}`;
  Object.assign(document.body.dataset, {
    frames: rate.all, drawn, accepted, fps: rate.shown.toFixed(1), gpu: frame.gpu, milliseconds: (1e3 * frame.seconds).toFixed(1),
  });
  follow(of("sliders"), controls, frame.scene);
}

/** The point of the picture that is nearest to a place in pixels. */
function nearest([x, y]: Point): number | undefined {
  if (!picture) return undefined;
  const { places } = picture;
  let [best, least] = [undefined as number | undefined, 24 ** 2];
  const [a, b] = [plot.at([0, 0]), plot.at([1, 1])];
  for (let i = 0; i < places.length / 2; i++) {
    const dx = a[0] + places[2 * i] * (b[0] - a[0]) - x;
    const dy = a[1] + places[2 * i + 1] * (b[1] - a[1]) - y;
    if (dx * dx + dy * dy < least) [best, least] = [i, dx * dx + dy * dy];
  }
  return best;
}

function tell(i: number | undefined): void {
  hovered = i;
  const { places, numbers, mode, modes, axes } = picture!;
  const at = (k: 0 | 1) => `${axes[k].name} ${short(places[2 * i! + k])} ${axes[k].unit}`;
  of("tip").textContent = i === undefined ? "" : `Sample ${numbers[i]}: ${modes[mode[i]].name}; ${at(0)}, ${at(1)}`;
  paint();
}

async function choose(number: number | undefined): Promise<void> {
  sample = number;
  if (number === undefined) replay.forget();
  else await replay.show(wanted, number, scene!);
  paint();
  await address();
}

/** Opens what a link or the list of scenes says. */
function open(next: Wanted, shown?: string): void {
  wanted = next;
  problem++;
  [afresh, plotAfresh, kinds, axes, hovered] = [true, true, new Map(), shown, undefined];
  count = FEW;
  changed();
}

async function goTo(fragment: string): Promise<void> {
  try {
    const linked = await read(fragment);
    of<HTMLSelectElement>("device").value = device = linked.device;
    of<HTMLInputElement>("seed").value = String(linked.wanted.seed);
    of<HTMLSelectElement>("scenes").value = linked.wanted.scene ?? "";
    of<HTMLTextAreaElement>("text").value = linked.wanted.text || (listing.scenes.find(({ name }) => name === linked.wanted.scene)?.text ?? "");
    open(linked.wanted, linked.axes);
    if (linked.sample !== undefined) {
      while ((!scene || afresh) && !of("fault").textContent) await new Promise((done) => setTimeout(done, 20));
      await choose(linked.sample);
    }
  } catch {
    of("fault").textContent = "this link cannot be read";
  }
}

const list = of<HTMLSelectElement>("scenes");
list.append(...listing.scenes.map(({ name }) => new Option(name, name)), new Option("a problem of your own", ""));
list.addEventListener("change", () => {
  if (list.value) of<HTMLTextAreaElement>("text").value = listing.scenes.find(({ name }) => name === list.value)!.text;
  else document.querySelector("details")!.open = true;
  if (list.value) open({ scene: list.value, text: "", set: [], seed: wanted.seed });
});
of("open").addEventListener("click", () => {
  list.value = "";
  open({ text: of<HTMLTextAreaElement>("text").value, set: [], seed: wanted.seed });
});
of("reset").addEventListener("click", () => open({ scene: wanted.scene, text: wanted.text, set: [], seed: wanted.seed }));
of<HTMLInputElement>("seed").addEventListener("change", ({ target }) => {
  wanted = { ...wanted, seed: Math.max(0, Math.floor(Number((target as HTMLInputElement).value) || 0)) };
  changed();
});
of<HTMLSelectElement>("device").addEventListener("change", ({ target }) => {
  device = (target as HTMLSelectElement).value;
  count = FEW;
  changed();
});
for (const id of ["axis-x", "axis-y"]) {
  of(id).addEventListener("change", () => {
    axes = ["axis-x", "axis-y"].map((id) => of<HTMLSelectElement>(id).value).join(",");
    [plotAfresh, dirty] = [true, true];
    document.body.dataset.state = "moving";
    void frames();
  });
}
for (const id of ["hull", "marks"]) of(id).addEventListener("change", paint);
of("map-start").addEventListener("click", () => {
  const [x, y] = ["map-x", "map-y"].map((id) => controls[Number(of<HTMLSelectElement>(id).value)]);
  void map.compute(wanted, x, y);
});
const canvas = of<HTMLCanvasElement>("plot");
canvas.addEventListener("pointermove", ({ offsetX, offsetY }) => tell(nearest([offsetX, offsetY])));
canvas.addEventListener("pointerleave", () => picture && tell(undefined));
canvas.addEventListener("click", ({ offsetX, offsetY }) => {
  const found = nearest([offsetX, offsetY]);
  if (found === undefined) return;
  tell(found);
  void choose(picture!.numbers[found]);
});
canvas.addEventListener("keydown", (event) => {
  if (!picture) return;
  const { numbers } = picture;
  const at = sample === undefined ? -1 : numbers.indexOf(sample);
  const next = {
    ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0,
  }[event.key];
  if (event.key === "Escape") void choose(undefined);
  if (next === undefined) return;
  event.preventDefault();
  const i = Math.min(Math.max(next, 0), numbers.length - 1);
  tell(i);
  void choose(numbers[i]);
});
window.addEventListener("resize", () => { paint(); map.draw(); });
window.addEventListener("hashchange", () => void goTo(location.hash));
of("version").textContent = listing.version;
await goTo(location.hash);
