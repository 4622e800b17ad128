// The page: what is wanted, what is drawn of it, and what a visitor does.

import { follow, knobs, reached, sliders, type Knob } from "./controls";
import { Plot, Sheet, colours, scene as drawScene, short, stamp, stroke } from "./draw";
import { Laws } from "./laws";
import { FIRST, read, written, type Linked } from "./link";
import { SizeMap } from "./map";
import { Post, Refusal } from "./post";
import { ReplayView } from "./replay";
import type { Frame, Listing, Picture, Point, Scene, Wanted } from "./types";

/** Samples of a frame: least, at first, most, and most once the numbers rest. */
const [LEAST, FEW, MANY, ALL] = [128, 1024, 1 << 15, 1 << 14];
/** Seconds of a frame while numbers change and once they rest, about; ms until they rest. */
const [MOVING, RESTING, RESTS] = [0.05, 1.5, 250];

/** Modes that have a colour of their own, and the number of the colour of the others. */
const COLOURED = 6;

/** Outcomes that lie within this part of the scale of their axes are one outcome. */
const ONE = 1e-4;

const of = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const [plotted, side] = [new Post(), new Post()];
const plot = new Plot(of<HTMLCanvasElement>("plot"));
const stage = new Sheet(of<HTMLCanvasElement>("scene"));
of("status").textContent = "Loading the engine\u2026";
const listing = await side.send<Listing>({ kind: "ask", request: { ask: "scenes" } }).catch((error: Error) => {
  of("status").textContent = "";
  of("fault").textContent = `${error.message}. The page needs a browser with WebAssembly, and its files beside it.`;
  // Nothing else works.
  return new Promise<never>(() => {});
});
const palette = listing.colours;
const inks = colours(palette);
const laws = new Laws(new Post(), of("laws"), palette, listing.laws, () => paint());
const replay = new ReplayView(side, palette, () => paint());
const map = new SizeMap(of("map"), of("map-caption"), (...pair) => {
  for (const [knob, value] of pair) wanted = knob.with(wanted, value, scene!);
  notice = "";
  changed();
});

let wanted: Wanted = { text: "", set: [], seed: 0 };
let device = "auto";
let axes: string | undefined;
let sample: number | undefined;
/** The sample that a link names, until its problem is open. */
let linked: number | undefined;
/** What could be opened last, and what remains to be said of what could not. */
let good: Pick<Linked, "wanted" | "axes"> | undefined;
let notice = "";
/** Whether the next address is one to come back to. */
let step = false;
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
  of("tip").textContent = "";
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

/** Computes a frame of this number of samples. */
async function frame(samples: number): Promise<Frame | undefined> {
  const [asked, begun] = [problem, performance.now()];
  try {
    const order = { kind: "frame" as const, wanted, count: samples, axes: axes ?? null, device };
    const done = await plotted.send<Frame>(order);
    if (asked !== problem) return undefined;
    if (afresh) {
      const made = await controlled();
      if (asked !== problem) return undefined;
      opened(done, made);
    }
    [scene, picture] = [done.scene, done.picture];
    hovered = undefined;
    axes ??= picture.names.join(",");
    good = { wanted: order.wanted, axes };
    of("fault").textContent = notice;
    rate.frames++;
    rate.all++;
    paint();
    say(done);
    if (samples === count) {
      const part = (performance.now() - begun) / 1e3 / MOVING;
      if (part < 0.45) count = Math.min(2 * count, MANY);
      if (part > 1.3) count = Math.max(count / 2, LEAST);
    }
    if (linked !== undefined) {
      const chosen = linked;
      linked = undefined;
      void choose(chosen);
    }
    return done;
  } catch (error) {
    if (asked === problem) refused(error as Error);
    return undefined;
  }
}

/**
 * Shows what is wrong. The problem before stands in for one that cannot be opened, and other axes
 * for those that a problem lacks.
 */
function refused(error: Error): void {
  let { message } = error;
  of("fault").textContent = message;
  if (!afresh) return;
  if (error instanceof Refusal && error.at === "axes" && axes !== undefined) {
    open(wanted, undefined, linked);
    notice = of("fault").textContent = message;
    return;
  }
  if (wanted.text) message += ". For an example choose a scene: its text is here, too";
  const before = good ?? { wanted: { scene: FIRST, text: "", set: [], seed: 0 }, axes: undefined };
  step = false;
  open(before.wanted, before.axes);
  notice = of("fault").textContent = `${message}.${good ? "" : ` Here is ${FIRST} instead.`}`;
  list.value = wanted.scene ?? "";
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
  const [asked, number] = [problem, sample];
  try {
    const fragment = await written({ wanted, sample, axes, device });
    if (asked !== problem || number !== sample || dirty) return;
    if (fragment !== location.hash) history[step ? "pushState" : "replaceState"](null, "", fragment);
    of<HTMLAnchorElement>("link").href = fragment;
  } catch {
    notice = of("fault").textContent = "This problem is too long for a link.";
  }
  step = false;
}

/** The knobs of the problem that is wanted: those that can move, and the others. */
async function controlled(): Promise<[Knob[], Knob[]]> {
  // Sliders range about the numbers of the file, wherever a link has moved them.
  const { scene: name, text, seed } = wanted;
  const base: Wanted = { scene: name, text, set: [], seed };
  const open = (wanted: Wanted) => side.send<Scene>({ kind: "ask", request: { ask: "open", wanted } });
  const scene = await open(base);
  const same = ({ contacts }: Scene) => contacts.join() === scene.contacts.join();
  const all = knobs(scene);
  const free = await reached(all, (knob, value) => open(knob.with(base, value, scene)).then(same, () => false));
  return [free, all.filter((knob) => !free.includes(knob))];
}

/** Shows a problem that has just been opened, with its knobs. */
function opened({ scene: now, picture }: Frame, [free, stuck]: [Knob[], Knob[]]): void {
  afresh = false;
  controls = free;
  of("sliders").inert = false;
  sliders(of("sliders"), controls, stuck, (knob, value) => {
    wanted = knob.with(wanted, value, scene!);
    notice = "";
    changed();
  });
  for (const [id, at] of [["axis-x", 0], ["axis-y", 1]] as const) {
    const select = of<HTMLSelectElement>(id);
    select.replaceChildren(...now.axes.map((name) => new Option(name, name)));
    select.value = (axes?.split(",") ?? picture.names)[at] ?? "";
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
  const { places, mode, modes, hull, exact, before } = picture;
  plot.sheet.clear();
  const at = picture.names.map((name) => scene!.axes.indexOf(name));
  const outcomes = of<HTMLInputElement>("marks").checked ? laws.points(at) : [];
  const path = replay.points(at);
  const reach = Math.max(...[0, 1].map((i) => Math.max(...hull.map((p) => p[i])) - Math.min(...hull.map((p) => p[i]))));
  const near = outcomes.map(({ point }) => point).filter((p) => hull.some((h) => [0, 1].every((i) => Math.abs(p[i] - h[i]) <= reach)));
  const origin = at.map((i) => before[i]) as Point;
  // One outcome alone says nothing of its place.
  plot.show([...hull, ...(exact ?? []).flat(), ...near, ...path, ...(unique(picture) ? [origin] : [])], picture.axes, plotAfresh);
  plotAfresh = false;
  plot.axes(picture.axes);
  of("exact").parentElement!.hidden = exact === null;
  if (of<HTMLInputElement>("exact").checked) exact?.forEach((polytope) => plot.area(polytope, "#d9d9d9"));
  // The modes of most samples get colours first.
  for (const { name } of [...modes].sort((a, b) => b.count - a.count)) kindOf(name);
  const kind = modes.map(({ name }) => kindOf(name));
  plot.points(places, mode, kind, inks);
  const { context } = plot.sheet;
  context.save();
  if (of<HTMLInputElement>("hull").checked && hull.length > 1) plot.polygon(hull, "#000000", true);
  if (path.length > 1) plot.polygon(path, "#000000", false, 2);
  if (path.length > 0) plot.ring(path[Math.min(replay.step, path.length - 1)], 8, "#000000", 3);
  plot.mark(3, origin, "#606060");
  for (const { point, law } of outcomes) plot.mark(law, point, palette[laws.colour(law)]);
  if (hovered !== undefined) plot.ring([places[2 * hovered], places[2 * hovered + 1]], 7, "#000000");
  context.restore();
  plot.sheet.canvas.ariaLabel = `${picture.accepted} outcomes, ${picture.axes[0].name} across, ${picture.axes[1].name} up`;
  legend(kind, scene.contacts);
  if (scene.scene) {
    drawScene(stage, scene.scene.series, scene.scene.names, palette);
    replay.draw(scene);
  }
}

/** Whether all points are one. */
const unique = ({ hull, axes }: Picture) =>
  [0, 1].every((i) => Math.max(...hull.map((p) => p[i])) - Math.min(...hull.map((p) => p[i])) <= ONE * axes[i].scale);

/** The number of the colour of modes; it stays what it is while numbers are dragged. */
function kindOf(name: string): number {
  if (!kinds.has(name)) kinds.set(name, Math.min(kinds.size, COLOURED));
  return kinds.get(name)!;
}

function legend(kind: number[], contacts: string[]): void {
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
  const order = Object.assign(document.createElement("li"), { textContent: `At ${contacts.join(", ")}:` });
  of("legend").replaceChildren(order, ...items, before);
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

/** Reports what is drawn, how fast, and by which device. */
function say(frame: Frame): void {
  const now = performance.now();
  if (now - rate.since > 500) {
    rate.shown = (1e3 * rate.frames) / (now - rate.since);
    [rate.frames, rate.since] = [0, now];
  }
  const { drawn, accepted, repaired } = frame.picture;
  const grouped = (n: number) => n.toLocaleString("en").replaceAll(",", "\u202f");
  const pace = `${(1e3 * frame.seconds).toFixed(0)} ms a frame, ${grouped(Number((drawn / frame.seconds).toPrecision(2)))} samples a second`;
  const why = frame.scene.on_the_cpu ? ` (${frame.scene.on_the_cpu})` : "";
  const one = unique(frame.picture) ? " All samples agree: there is one outcome here." : "";
  const quiet = frame.scene.approaches ? one : " Nothing approaches: the velocity stays what it is.";
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
  if (!picture) return;
  hovered = i;
  const { places, numbers, mode, modes, axes } = picture;
  const at = (k: 0 | 1) => `${axes[k].name} ${short(places[2 * i! + k])} ${axes[k].unit}`;
  const chosen = sample === undefined ? "" : `Sample ${sample} is replayed below.`;
  of("tip").textContent = i === undefined ? chosen : `Sample ${numbers[i]}: ${modes[mode[i]].name}; ${at(0)}, ${at(1)}`;
  paint();
}

async function choose(number: number | undefined): Promise<void> {
  sample = number;
  if (number === undefined) replay.forget();
  else await replay.show(wanted, number, scene!);
  if (hovered === undefined) tell(undefined);
  paint();
  await address();
}

/** Opens what a link or the list of scenes says. */
function open(next: Wanted, shown?: string, chosen?: number): void {
  if (next.scene !== wanted.scene || next.text !== wanted.text) map.forget();
  wanted = next;
  problem++;
  [afresh, plotAfresh, kinds, axes, hovered] = [true, true, new Map(), shown, undefined];
  [count, notice, linked] = [FEW, "", chosen];
  of("sliders").inert = true;
  changed();
}

/** Opens what a visitor wants, with an address of its own. */
function visit(next: Wanted): void {
  step = true;
  open(next);
}

async function goTo(fragment: string): Promise<void> {
  const asked = ++problem;
  step = false;
  try {
    const { wanted: next, sample, said, axes, device: with_ } = await read(fragment);
    if (asked !== problem) return;
    of<HTMLSelectElement>("device").value = device = with_;
    of<HTMLInputElement>("seed").value = String(next.seed);
    list.value = next.scene ?? "";
    const text = next.text || (listing.scenes.find(({ name }) => name === next.scene)?.text ?? "");
    of<HTMLTextAreaElement>("text").value = text;
    open(next, axes, sample);
    notice = said ?? "";
  } catch (error) {
    if (asked !== problem) return;
    afresh = true;
    refused(error as Error);
  }
}

const list = of<HTMLSelectElement>("scenes");
list.append(...listing.scenes.map(({ name }) => new Option(name, name)), new Option("a problem of your own", ""));
list.addEventListener("change", () => {
  if (!list.value) {
    document.querySelector("details")!.open = true;
    of("text").focus();
    return;
  }
  of<HTMLTextAreaElement>("text").value = listing.scenes.find(({ name }) => name === list.value)!.text;
  visit({ scene: list.value, text: "", set: [], seed: wanted.seed });
});
of("open").addEventListener("click", () => {
  const { value } = of<HTMLTextAreaElement>("text");
  if (!value.trim()) {
    of("fault").textContent = "There is no text: paste a scene or problem file first.";
    return;
  }
  list.value = "";
  visit({ text: value, set: [], seed: wanted.seed });
});
of("reset").addEventListener("click", () => visit({ scene: wanted.scene, text: wanted.text, set: [], seed: wanted.seed }));
of<HTMLInputElement>("seed").addEventListener("change", ({ target }) => {
  const input = target as HTMLInputElement;
  const seed = Math.min(Math.max(0, Math.floor(Number(input.value) || 0)), Number.MAX_SAFE_INTEGER);
  input.value = String(seed);
  wanted = { ...wanted, seed };
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
for (const id of ["exact", "hull", "marks"]) of(id).addEventListener("change", paint);
of("map-start").addEventListener("click", () => {
  const [x, y] = ["map-x", "map-y"].map((id) => controls[Number(of<HTMLSelectElement>(id).value)]);
  if (scene) void map.compute(wanted, scene, x, y);
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
of("see").addEventListener("click", () => of("replay").scrollIntoView({ block: "start" }));
window.addEventListener("resize", () => { paint(); map.draw(); });
window.addEventListener("hashchange", () => void goTo(location.hash));
of("version").textContent = listing.version;
await goTo(location.hash);
