// A turn of the page, and then less and less bounce, as an animated WebP, for pages that show
// pictures: node film.mjs FOLDER OUT.

import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { driver, settled } from "./driver.mjs";

/** Frames of a turn and of a drag; ms of a frame, and of each last one; width in pixels; quality of 0 to 1. */
const [TURN, DRAG, LASTS, RESTS, WIDTH, QUALITY] = [48, 12, 90, 1200, 900, 0.5];

const [folder, out] = process.argv.slice(2);
const { visit, close } = await driver(folder, tmpdir());

/** What differs from the frame before: its place, and a picture of it. */
const changed = async ({ picture, width, quality }) => {
  const image = await createImageBitmap(await (await fetch(picture)).blob());
  const height = 2 * Math.round((width / image.width) * image.height / 2);
  const sheet = Object.assign(document.createElement("canvas"), { width, height });
  const context = sheet.getContext("2d", { alpha: false });
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, width, height);
  const now = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  const differ = [...now.keys()].filter((i) => now[i] !== window.before?.[i]);
  window.before = now;
  if (differ.length === 0) return undefined;
  const [xs, ys] = [differ.map((i) => i % width), differ.map((i) => Math.floor(i / width))];
  const ends = (all) => all.reduce(([low, high], x) => [Math.min(low, x), Math.max(high, x)], [Infinity, 0]);
  const [[x0, x1], [y0, y1]] = [ends(xs), ends(ys)];
  const [x, y] = [x0 & ~1, y0 & ~1];
  const part = Object.assign(document.createElement("canvas"), { width: x1 + 1 - x, height: y1 + 1 - y });
  part.getContext("2d", { alpha: false }).drawImage(sheet, -x, -y);
  return { x, y, width: part.width, height: part.height, all: [width, height], data: part.toDataURL("image/webp", quality) };
};

/** Numbers of so many bytes, the least significant first. */
const bytes = (...numbers) => Buffer.concat(numbers.map(([value, size]) => {
  const part = Buffer.alloc(size);
  part.writeUIntLE(value, 0, size);
  return part;
}));
const chunk = (name, ...parts) => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(name), bytes([body.length, 4]), body, Buffer.alloc(body.length % 2)]);
};
/** What a picture in WebP has beside its colour profile. */
function image(picture) {
  const all = Buffer.from(picture.split(",")[1], "base64");
  const at = all.indexOf("VP8 ");
  return all.subarray(at, at + 8 + 2 * Math.ceil(all.readUInt32LE(at + 4) / 2));
}

try {
  const page = await visit("");
  await settled(page);
  await page.waitForFunction(() => !document.getElementById("laws").dataset.stale);
  await page.locator("#go").click();
  // All frames have one size, however long the words below them are.
  await page.addStyleTag({ content: "#stage .note { min-height: 5em }" });
  const frames = [];
  const frame = async (slider, value) => {
    await page.locator(slider).evaluate((input, value) => {
      input.value = value;
      input.dispatchEvent(new Event("input"));
    }, value);
    await settled(page);
    await page.waitForFunction(() => !document.getElementById("laws").dataset.stale);
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    const picture = `data:image/png;base64,${(await page.locator("#pictures").screenshot()).toString("base64")}`;
    const next = await page.evaluate(changed, { picture, width: WIDTH, quality: QUALITY });
    if (next) frames.push({ ...next, lasts: LASTS });
    else frames.at(-1).lasts += LASTS;
  };
  for (let i = 0; i < TURN; i++) await frame("#moment", -100 + (200 * i) / (TURN - 1));
  frames.at(-1).lasts = RESTS;
  for (let i = 0; i < DRAG; i++) await frame('input[data-knob="restitution all contacts"]', 0.5 * (1 - i / (DRAG - 1)));
  frames.at(-1).lasts = RESTS;
  const [width, height] = frames[0].all;
  // https://developers.google.com/speed/webp/docs/riff_container: frames are not blended with those before.
  const film = frames.map(({ x, y, width, height, lasts, data }) => chunk(
    "ANMF", bytes([x / 2, 3], [y / 2, 3], [width - 1, 3], [height - 1, 3], [lasts, 3], [2, 1]),
    image(data),
  ));
  const head = [chunk("VP8X", bytes([2, 4], [width - 1, 3], [height - 1, 3])), chunk("ANIM", bytes([0xffffffff, 4], [0, 2]))];
  const file = chunk("RIFF", Buffer.from("WEBP"), ...head, ...film);
  writeFileSync(out, file);
  console.log(`${frames.length} pictures of ${width} times ${height} pixels, ${file.length} bytes`);
} finally {
  await close();
}
