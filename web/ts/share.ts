// What a visitor takes along: a link, a picture, a film, lines for Python, the speed of this
// machine.

import { calm, copy, download, of } from "./dom";
import type { Post } from "./post";
import type { Stage } from "./stage";
import { theme } from "./theme";
import type { Rate, Scene, Wanted } from "./types";

/** Seconds for which speed is measured; of a loop; frames of it a second. */
const [MEASURED, LOOP, FPS] = [3, 6.5, 30];

/** Lines of Python that sample this problem; `file` is it as JSON. */
export function python({ scene, set, velocity, friction, restitution, seed }: Wanted, file: string): string {
  const plain = scene && !velocity && !friction && !restitution;
  const problem = plain
    ? `carom.scene(${[JSON.stringify(scene), ...set.map(([name, value]) => `${name}=${value}`)].join(", ")})`
    : `carom.ContactProblem.from_json(r'''${file}''')`;
  return `import carom  # pip install ./python in a clone of the repository\n\nproblem = ${problem}\n` +
    `out = carom.sample(problem, samples=4096, seed=${seed})\nprint(out.velocity.shape)\n`;
}

/** The two pictures beside each other, with what they show. */
function picture(stage: HTMLCanvasElement, plot: HTMLCanvasElement, title: string): Promise<Blob> {
  const both = document.createElement("canvas");
  const ratio = window.devicePixelRatio || 1;
  const shown = [stage, plot].filter(({ clientWidth }) => clientWidth > 0);
  const head = 44 * ratio;
  both.width = shown.reduce((sum, { width }) => sum + width, 0);
  both.height = Math.max(...shown.map(({ height }) => height)) + head;
  const context = both.getContext("2d")!;
  context.fillStyle = theme.paper;
  context.fillRect(0, 0, both.width, both.height);
  context.fillStyle = theme.ink;
  context.font = `bold ${17 * ratio}px system-ui, sans-serif`;
  context.fillText(title, 14 * ratio, 28 * ratio, both.width - 28 * ratio);
  let x = 0;
  for (const one of shown) {
    context.drawImage(one, x, head);
    x += one.width;
  }
  return new Promise((done, failed) => both.toBlob((blob) => (blob ? done(blob) : failed(new Error("there is no picture"))), "image/png"));
}

/** A turn of the stage as a film. */
async function loop(stage: Stage): Promise<Blob> {
  const stream = stage.sheet.canvas.captureStream(FPS);
  const recorder = new MediaRecorder(stream, { videoBitsPerSecond: 4e6 });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const done = new Promise<void>((stopped) => (recorder.onstop = () => stopped()));
  stage.go(-1);
  stage.playing = true;
  recorder.start();
  await new Promise((ended) => setTimeout(ended, 1e3 * LOOP));
  recorder.stop();
  await done;
  stage.playing = !calm.matches;
  return new Blob(parts, { type: recorder.mimeType });
}

export class Share {
  constructor(
    private readonly post: Post,
    private readonly stage: Stage,
    private readonly plot: HTMLCanvasElement,
    private readonly version: string,
    private readonly now: () => { wanted: Wanted; scene: Scene; device: string } | undefined,
    private readonly wake: () => void,
  ) {
    const said = of("shared");
    const on = (id: string, act: () => Promise<unknown>) =>
      of(id).addEventListener("click", () => void act().catch((error: Error) => (said.textContent = error.message)));
    on("copy-link", () => copy(location.href, said));
    on("copy-python", async () => {
      const { wanted } = this.now()!;
      const { file } = await this.post.send<{ file: string }>({ kind: "ask", wanted, request: { ask: "file" } });
      await copy(python(wanted, file), said);
    });
    on("save-picture", async () => download(`${this.name}.png`, await picture(stage.sheet.canvas, this.plot, this.title)));
    on("save-loop", async () => {
      said.textContent = "Recording a turn\u2026";
      const film = loop(this.stage);
      this.wake();
      download(`${this.name}.${(await film).type.includes("mp4") ? "mp4" : "webm"}`, await film);
      said.textContent = "";
    });
    on("measure", () => this.measure());
    on("copy-rate", () => copy(of("rate").textContent!, said, of("rate")));
  }

  private get name(): string {
    return `carom-${this.now()?.wanted.scene ?? "problem"}`;
  }

  private get title(): string {
    return `${this.now()?.scene.name || "a problem"}: every way to leave one impact (carom)`;
  }

  /** How many outcomes this machine computes and checks in a second. */
  private async measure(): Promise<void> {
    const { wanted, scene, device } = this.now()!;
    of("rate").textContent = "Measuring\u2026";
    const { accepted, seconds, by } = await this.post.send<Rate>({ kind: "rate", wanted, device, seconds: MEASURED });
    const millions = Number((accepted / seconds / 1e6).toPrecision(2));
    of("rate").textContent =
      `${millions} million verified outcomes a second: ${scene.name || "a problem"}, ${by}; carom ${this.version} in a browser`;
    of("copy-rate").hidden = false;
  }
}
