// Three steps of a story above the playground, drawn from the first frame: the impact, two orders,
// all orders.

import { spread, pieces, places } from "./ghosts";
import { Sheet } from "./sheet";
import { BODY, Eye, VELOCITY, WALL, box, sketch, still, trace } from "./sketch";
import { palette, theme } from "./theme";
import type { Frame } from "./types";

/** How far along their ways the ghosts of the story are. */
const FAR = 0.9;

export class Story {
  private readonly sheets = ["one", "two", "all"].map((id) => new Sheet(document.getElementById(`story-${id}`) as HTMLCanvasElement));
  private frame?: Frame;
  /** The numbers of the colours of the ghosts. */
  private colours: number[] = [];

  /** Tells it of a frame. */
  tell(frame: Frame, colour: (row: number) => number): void {
    [this.frame, this.colours] = [frame, frame.ghosts.rows.map(colour)];
    this.draw();
  }

  draw(): void {
    const { frame } = this;
    if (!frame?.scene.scene) return;
    const { ghosts, scene, picture } = frame;
    // The two outcomes that lie farthest from each other.
    const placed = Float32Array.from(ghosts.rows.flatMap((row) => [picture.places[2 * row], picture.places[2 * row + 1]]));
    const two = spread(placed, 3).slice(-2);
    const walls = still(scene).filter(({ colour, mark }) => colour === WALL && mark === "Area").slice(0, -scene.contacts.length || undefined);
    const seen = box([...walls.flatMap(({ points }) => points), ...places(ghosts)]);
    this.sheets.forEach((sheet, step) => {
      sheet.clear();
      const eye = new Eye(sheet, seen, 6);
      const { context } = sheet;
      sketch(sheet, eye, walls);
      const body = (way: number, part: number, colour: string, fill: number, width: number) => {
        const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
        [context.fillStyle, context.strokeStyle, context.lineWidth] = [`rgb(${r} ${g} ${b} / ${fill})`, colour, width];
        trace(context, eye, pieces(ghosts, way, part));
      };
      if (step === 0) {
        body(0, 0.35, theme.zero, 0.1, 1);
        body(0, 1, palette[BODY], 0.35, 2);
        for (const point of scene.scene!.contacts) {
          const [x, y] = eye.at(point);
          context.beginPath();
          context.arc(x, y, 5, 0, 2 * Math.PI);
          [context.fillStyle, context.strokeStyle, context.lineWidth] = [palette[VELOCITY], theme.paper, 1.5];
          context.fill();
          context.stroke();
        }
        return;
      }
      body(0, 1, theme.zero, 0, 1);
      const ways = step === 1 ? two : ghosts.rows.keys();
      for (const way of ways) body(1 + way, FAR, palette[this.colours[way]], step === 1 ? 0.25 : 0.05, step === 1 ? 2 : 1);
    });
  }
}
