// The page: what is wanted and what is drawn of it, and what a visitor does.

import { follow } from "./controls";
import { calm, of } from "./dom";
import { Laws } from "./laws";
import { FIRST, read, written, type Linked } from "./link";
import { SizeMap } from "./map";
import { Outcomes } from "./outcomes";
import { Panel } from "./panel";
import { Post, Refusal } from "./post";
import { Proof } from "./proof";
import { Reins } from "./reins";
import { ReplayView } from "./replay";
import { Share } from "./share";
import { Stage } from "./stage";
import { Story } from "./story";
import { adopt } from "./theme";
import { Thumbs } from "./thumbs";
import type { Frame, Ghosts, Listing, Point, Scene, Wanted } from "./types";

/** Samples of a frame: least and at first, most, and most once the numbers rest. */
const [FEW, MANY, ALL] = [16, 1 << 15, 1 << 14];
/** Seconds of a frame while numbers change and once they rest, about; ms until they rest. */
const [MOVING, RESTING, RESTS] = [0.05, 1.5, 250];
/**
 * Longest time in ms for a frame that nobody wants any more, and until the page says that it
 * computes.
 */
const [PATIENCE, SILENT] = [400, 300];

document.body.classList.toggle("embed", new URLSearchParams(location.search).has("embed"));
const [plotted, side] = [new Post(), new Post()];
of("status").textContent = "Loading the engine\u2026";
const listing = await side.send<Listing>({ kind: "ask", request: { ask: "scenes" } }).catch((error: Error) => {
  of("status").textContent = "";
  of("fault").textContent = `${error.message}. The page needs a browser with WebAssembly, and its files beside it.`;
  // Nothing else works.
  return new Promise<never>(() => {});
});
adopt(listing.colours, () => redraw());
const set = new Outcomes(of("plot"), of("legend"));
const stage = new Stage(of("scene"), set.colour);
const story = new Story();
const laws = new Laws(new Post(), of("laws"), listing.laws, () => paint());
const replay = new ReplayView(side, () => paint());
const proof = new Proof(side, () => (document.body.dataset.state === "settled" && axes ? { wanted, axes } : undefined), () => paint());
const map = new SizeMap(of("map"), of("map-caption"), (...pair) => {
  let next = wanted;
  for (const [knob, value] of pair) next = knob.with(next, value, scene!);
  moveTo(next);
});
const thumbs = new Thumbs(of("thumbs"), listing, (name) => visit({ scene: name, text: "", set: [], seed: wanted.seed }));
const panel = new Panel(side, (knob, value) => moveTo(knob.with(wanted, value, scene!)));

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
let told = false;
let afresh = true;

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
  of("laws").dataset.stale = "true";
  laws.forget();
  replay.forget();
  proof.forget();
  sample = undefined;
  // What took too long is tried with fewer samples.
  if (plotted.stop(PATIENCE)) count = FEW;
  wake();
  void frames();
}

/** Draws frames as long as numbers differ, and settles once they have rested for a while. */
async function frames(): Promise<void> {
  if (busy) return;
  busy = true;
  // Frames have more samples as long as that costs little.
  for (let [rests, grows] = [false, false]; dirty || !rests; ) {
    if (dirty || grows) {
      dirty = false;
      const before = count;
      grows = (await frame(count)) !== undefined && count > before;
      continue;
    }
    const left = RESTS - (performance.now() - moved);
    if (left <= 0) {
      await settle();
      rests = !dirty;
      if (rests) {
        document.body.dataset.state = "settled";
        void proof.prove();
      }
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
  const silent = setTimeout(() => {
    document.body.dataset.busy = "true";
    of("status").textContent = `Computing ${samples} samples\u2026`;
  }, SILENT);
  try {
    const order = { kind: "frame" as const, wanted, count: samples, axes: axes ?? null, device };
    const done = await plotted.send<Frame>(order);
    if (asked !== problem) return undefined;
    const first = afresh;
    if (first) opened(done);
    scene = done.scene;
    axes ??= done.picture.names.join(",");
    set.show(done.picture, scene.contacts);
    stage.show(scene, done.ghosts, first);
    stage.lit = undefined;
    map.follow(scene);
    good = { wanted: order.wanted, axes };
    of("fault").textContent = notice;
    if (first) void equip(done, asked);
    rate.frames++;
    rate.all++;
    paint();
    say(done);
    if (samples === count) {
      const part = (performance.now() - begun) / 1e3 / MOVING;
      if (part < 0.45) count = Math.min((part < 0.1 ? 8 : 2) * count, MANY);
      if (part > 1.3) count = Math.max(count / 2, FEW);
    }
    if (linked !== undefined) {
      const chosen = linked;
      linked = undefined;
      void choose(chosen);
    }
    return done;
  } catch (error) {
    if (asked === problem && (error as Refusal).what !== "stopped") refused(error as Error);
    return undefined;
  } finally {
    clearTimeout(silent);
    delete document.body.dataset.busy;
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
  let per = await frame(count);
  if (!per) return;
  // What a sample costs is seen the better the more of them a frame has.
  while (!dirty) {
    const affordable = (RESTING / Math.max(per.seconds, 1e-3)) * per.picture.drawn;
    const samples = Math.min(ALL, 2 ** Math.floor(Math.log2(affordable)));
    const more: Frame | undefined = samples > per.picture.drawn ? await frame(samples) : undefined;
    // A kernel may take no more of them at a time.
    if (!more || more.picture.drawn <= per.picture.drawn) break;
    per = more;
  }
  if (dirty) return;
  if (!told && per.scene.scene) {
    told = true;
    story.tell(per, set.number);
  }
  void laws.resolve(wanted, scene!).then((all) => all && delete of("laws").dataset.stale);
  charted();
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

/** Shows a problem that has just been opened. */
function opened({ scene: now }: Frame): void {
  afresh = false;
  of("description").textContent =
    listing.scenes.find(({ name }) => name === wanted.scene)?.about ?? (now.name || "a problem of your own");
  of("stage").classList.toggle("none", now.scene === null);
  thumbs.mark(wanted.scene);
  stage.go(calm.matches ? 1 : -1);
}

/** Gives a problem that has just been opened its sliders. */
async function equip({ scene: now, picture }: Frame, asked: number): Promise<void> {
  const made = await panel.made(wanted).catch(() => undefined);
  if (!made || asked !== problem) return;
  panel.show(made, now, axes?.split(",") ?? picture.names);
  follow(of("sliders"), panel.knobs, scene!);
  if (document.body.dataset.state === "settled") charted();
}

/** The map around the problem. */
function charted(): void {
  const [x, y] = panel.charted;
  if (scene && panel.knobs.length > 1 && !of("sliders").inert) void map.compute(wanted, scene, x, y);
}

/** Takes over other numbers of the problem. */
function moveTo(next: Wanted): void {
  [wanted, notice] = [next, ""];
  changed();
}

let painting = false;
let last = 0;
/** Milliseconds spent on drawing since the page was opened; the gate reads them. */
let spent = 0;

/** Draws soon, and goes on as long as something moves. */
function paint(): void {
  if (painting) return;
  painting = true;
  last = performance.now();
  requestAnimationFrame(drawn);
}

function drawn(): void {
  const now = performance.now();
  const moves = [stage.tick(Math.min((now - last) / 1e3, 0.1)), draw()].includes(true);
  last = now;
  spent += performance.now() - now;
  document.body.dataset.spent = spent.toFixed(0);
  painting = moves;
  if (moves) requestAnimationFrame(drawn);
}

/** Draws the set and the scene; whether something moves. */
function draw(): boolean {
  if (!scene || !set.picture) return false;
  const at = set.picture.names.map((name) => scene!.axes.indexOf(name));
  const checked = (id: string) => of<HTMLInputElement>(id).checked;
  stage.draw();
  of<HTMLInputElement>("moment").value = String(Math.round(100 * stage.moment));
  when();
  replay.draw(scene);
  const view = {
    path: replay.points(at), step: replay.step, badges: checked("marks") ? laws.badges(at) : [],
    before: at.map((i) => set.picture!.before[i]) as Point, hull: checked("hull"), exact: checked("exact"), proof: proof.polygon,
  };
  const key = `${rate.all} ${JSON.stringify(view)} ${set.hovered} ${set.plot.sheet.canvas.clientWidth} ${redrawn}`;
  if (key === shown) return false;
  const moves = set.paint(view);
  shown = moves ? "" : key;
  of("close").textContent = set.closeness;
  of("exact").parentElement!.hidden = set.picture.exact === null;
  return moves;
}

/** What the picture of the set shows, and how often everything was to be drawn anew. */
let [shown, redrawn] = ["", 0];

/** Says where in its turn the scene is. */
function when(): void {
  const words =
    stage.moment < -0.01 ? "Before the impact." :
    stage.moment <= 0.01 ? `The impact: ${scene!.contacts.length} contact${scene!.contacts.length > 1 ? "s" : ""} at once.` :
    `After it: one ghost per outcome, ${Number(stage.slower.toPrecision(2))} times slower than life.`;
  if (of("when").textContent !== words) of("when").textContent = words;
}

function redraw(): void {
  redrawn++;
  story.draw();
  thumbs.redraw();
  map.draw();
  if (set.picture && scene) set.show(set.picture, scene.contacts);
  paint();
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
  const one = set.unique ? " All samples agree: there is one outcome here." : "";
  const quiet = frame.scene.approaches ? one : " Nothing approaches: the velocity stays what it is.";
  of("status").textContent =
    `${grouped(drawn)} samples, ${grouped(accepted)} accepted, ${repaired} computed again in double precision; ` +
    `${pace}; ${frame.by}${why}; ${frame.scene.process}.${quiet} ${frame.scene.warnings.join(" ")}`;
  Object.assign(document.body.dataset, {
    frames: rate.all, drawn, accepted, fps: rate.shown.toFixed(1), gpu: frame.gpu, milliseconds: (1e3 * frame.seconds).toFixed(1),
  });
  follow(of("sliders"), panel.knobs, frame.scene);
}

/** Lights up an outcome in both pictures. */
function tell(row: number | undefined): void {
  if (!set.picture) return;
  [set.hovered, stage.lit] = [row, row];
  const chosen = sample === undefined ? "" : `Sample ${sample} is replayed beside it.`;
  of("tip").textContent = row === undefined ? chosen : set.words(row);
  if (row !== undefined && !stage.has(row)) void summon(row);
  paint();
}

/** Brings the ghost of an outcome that has none yet. */
async function summon(row: number): Promise<void> {
  const { picture } = set;
  const ghost = await plotted.send<Ghosts>({ kind: "ghost", number: picture!.numbers[row], row }).catch(() => undefined);
  if (!ghost || picture !== set.picture || stage.lit !== row) return;
  stage.add(ghost);
  paint();
}

async function choose(number: number | undefined): Promise<void> {
  sample = number;
  if (number === undefined) replay.forget();
  else await replay.show(wanted, number, scene!);
  if (set.hovered === undefined) tell(undefined);
  paint();
  await address();
}

/** Opens what a link or the list of scenes says. */
function open(next: Wanted, shown?: string, chosen?: number): void {
  if (next.scene !== wanted.scene || next.text !== wanted.text) map.forget();
  wanted = next;
  problem++;
  plotted.stop(PATIENCE);
  side.stop(PATIENCE);
  [afresh, axes, count, notice, linked] = [true, shown, FEW, "", chosen];
  set.begin("problem");
  panel.forget();
  changed();
}

/** Opens what a visitor wants, with an address of its own. */
function visit(next: Wanted): void {
  step = true;
  if (next.scene) {
    list.value = next.scene;
    of<HTMLTextAreaElement>("text").value = listing.scenes.find(({ name }) => name === next.scene)!.text;
  }
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
  if (list.value) {
    visit({ scene: list.value, text: "", set: [], seed: wanted.seed });
    return;
  }
  of<HTMLDetailsElement>("paste").open = true;
  of("text").focus();
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
  moveTo({ ...wanted, seed });
});
of<HTMLSelectElement>("device").addEventListener("change", ({ target }) => {
  device = (target as HTMLSelectElement).value;
  count = FEW;
  changed();
});
for (const id of ["axis-x", "axis-y"]) {
  of(id).addEventListener("change", () => {
    axes = ["axis-x", "axis-y"].map((id) => of<HTMLSelectElement>(id).value).join(",");
    set.begin("axes");
    changed();
  });
}
for (const id of ["exact", "hull", "marks"]) of(id).addEventListener("change", () => paint());
for (const id of ["map-x", "map-y"]) of(id).addEventListener("change", charted);
of("go").addEventListener("click", () => play(!stage.playing));
of<HTMLInputElement>("moment").addEventListener("input", ({ target }) => {
  play(false);
  stage.go(Number((target as HTMLInputElement).value) / 100);
  paint();
});

function play(on: boolean): void {
  stage.playing = on;
  of("go").textContent = on ? "Pause" : "Play";
  paint();
}

const canvas = of<HTMLCanvasElement>("plot");
canvas.addEventListener("pointermove", ({ offsetX, offsetY }) => tell(set.nearest([offsetX, offsetY])));
canvas.addEventListener("pointerleave", () => tell(undefined));
canvas.addEventListener("click", ({ offsetX, offsetY }) => {
  const found = set.nearest([offsetX, offsetY]);
  if (found === undefined) return;
  tell(found);
  void choose(set.picture!.numbers[found]);
});
canvas.addEventListener("keydown", (event) => {
  if (!set.picture) return;
  const { numbers } = set.picture;
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
of("close-replay").addEventListener("click", () => void choose(undefined));
new Reins(stage, side, {
  now: () => scene && { wanted, scene, knobs: panel.knobs },
  moved: moveTo,
  hover: tell,
  chosen: (row) => void choose(set.picture!.numbers[row]),
});
new Share(side, stage, canvas, listing.version, () => scene && { wanted, scene, device }, paint);
window.addEventListener("resize", redraw);
window.addEventListener("hashchange", () => void goTo(location.hash));
of("version").textContent = listing.version;
play(!calm.matches);
await goTo(location.hash);
const painter = new Post();
void thumbs.load(painter).then(() => painter.close());
