// What a visitor plays with: the scene that moves, what is dragged in it, and what is taken along.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { deflateRawSync } from "node:zlib";
import { address, chosen, data, driver, fault, heap, pasted, settled, shown } from "./driver.mjs";

const [folder, pictures] = process.argv.slice(2);
const { context, faults, visit, close } = await driver(folder, pictures);
await context.grantPermissions(["clipboard-read", "clipboard-write"]);

/** Longest time in ms until a small problem is drawn that is wanted instead of a large one: seconds, however slow the machine. */
const SOON = 60_000;

/** Largest share of the time that drawing may take while the scene moves, on a machine that others use too. */
const SHARE = 0.5;

/** Goes to a moment of the turn. */
const at = (page, moment) =>
  page.locator("#moment").evaluate((input, moment) => {
    input.value = moment;
    input.dispatchEvent(new Event("input"));
    return new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  }, moment);

/** The picture of the scene, once another one is drawn. */
async function other(page, before) {
  await page.waitForFunction((before) => document.getElementById("scene").toDataURL() !== before, before);
  return shown(page, "scene");
}

/** Drags from a place of the scene by so many pixels. */
async function dragged(page, [x, y], [dx, dy]) {
  const box = await page.locator("#scene").boundingBox();
  await page.mouse.move(box.x + x, box.y + y);
  await page.mouse.down();
  // What a body can do is found when it is grabbed.
  await page.waitForTimeout(1500);
  for (let i = 1; i <= 10; i++) await page.mouse.move(box.x + x + (dx * i) / 10, box.y + y + (dy * i) / 10);
  await page.waitForTimeout(500);
  await page.mouse.up();
}

/** Proves a line around the set that is shown: it has to be around all samples, and the exact set, and not far from them. */
async function proved(page, law) {
  await page.locator("#proof").check();
  await page.waitForFunction(() => /proved in 32 of 32 directions/.test(document.getElementById("proved").textContent));
  assert.match(await page.locator("#proved").textContent(), law);
  const [line, hull] = await page.evaluate(() => {
    const { proof, hull } = document.getElementById("plot").dataset;
    return [JSON.parse(proof), JSON.parse(hull)];
  });
  const size = Math.max(...[0, 1].map((i) => Math.max(...line.map((p) => p[i])) - Math.min(...line.map((p) => p[i]))));
  // Samples are in single precision; corners go round anticlockwise, some of them closer to each other than rounding.
  const sides = line.map((a, i) => [a, line[(i + 1) % line.length]]).filter(([a, b]) => Math.hypot(b[0] - a[0], b[1] - a[1]) > 1e-6 * size);
  assert.ok(sides.length > 2 && hull.length > 1);
  const inside = ([x, y]) => sides.map(([a, b]) => ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / Math.hypot(b[0] - a[0], b[1] - a[1]));
  for (const point of hull) assert.ok(inside(point).every((room) => room > -1e-5 * size), `${point} is beyond the line`);
  return { size, room: Math.min(...hull.flatMap(inside)) };
}

const saved = async (page, button) => {
  const [file] = await Promise.all([page.waitForEvent("download"), page.locator(button).click()]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
};

try {
  // An empty address opens on a scene that bounces, in motion; drawing takes a small share of the time.
  const page = await visit("");
  await settled(page);
  assert.match(await address(page), /^#scene=tailed-runner&restitution=0.5%2C0.5/);
  assert.equal(await page.locator("#thumbs [aria-pressed=true]").getAttribute("data-scene"), "tailed-runner");
  await other(page, await shown(page, "scene"));
  // The film of a turn, for those who look at pictures.
  const opening = await saved(page, "#save-loop");
  writeFileSync(join(pictures, opening.name), opening.bytes);
  const spent = async () => Number((await data(page)).spent);
  const [before, begun] = [await spent(), Date.now()];
  await page.waitForTimeout(4000);
  const share = (await spent() - before) / (Date.now() - begun);
  console.log(`drawing the scene in motion takes ${(100 * share).toFixed(1)} % of the time`);
  assert.ok(share > 0 && share < SHARE);
  await page.locator("#go").click();

  // The view stays when laws answer, and several do.
  const view = await page.locator("#plot").getAttribute("data-view");
  await page.waitForFunction(() => document.querySelectorAll("#laws li:not(.none)").length > 1 && !document.getElementById("laws").dataset.stale);
  assert.equal(await page.locator("#plot").getAttribute("data-view"), view);

  // One body before the impact, thirty ghosts after it; a dot lights up its ghost.
  await at(page, -80);
  const one = await shown(page, "scene");
  assert.match(await page.locator("#when").textContent(), /Before/);
  await at(page, 100);
  const many = await other(page, one);
  assert.match(await page.locator("#when").textContent(), /one ghost per outcome/);
  const plot = await page.locator("#plot").boundingBox();
  let found = false;
  for (let k = 1; k < 300 && !found; k++) {
    await page.mouse.move(plot.x + ((k * 0.618034) % 1) * plot.width, plot.y + (k / 300) * plot.height);
    found = /^Sample/.test(await page.locator("#tip").textContent());
  }
  assert.ok(found);
  await other(page, many);
  await page.screenshot({ path: `${pictures}/lit.png` });

  // Bounce: with as much as there can be, the block leaves the ground, and the exact set is not known.
  await chosen(page, "rocking-block");
  assert.ok(await page.locator("#exact").isVisible());
  // The exact set attains its bounds; the line goes with the numbers that it is of.
  const { size, room } = await proved(page, /no order of impulses of the planar law exceeds it/);
  assert.ok(room < 1e-3 * size, `${room} of ${size}`);
  await page.locator('input[data-knob="restitution all contacts"]').press("End");
  await page.waitForFunction(() => location.hash.includes("restitution=1%2C1"));
  await settled(page);
  assert.equal(await fault(page), "");
  assert.ok(await page.locator("#exact").isHidden());
  await proved(page, /with Stronge's coefficient of restitution/);

  // The arrow is dragged to a velocity, the body to a pose.
  await page.locator("#reset").click();
  await settled(page);
  await page.locator("#scene").scrollIntoViewIfNeeded();
  await at(page, 100);
  const [knob] = JSON.parse(await page.locator("#scene").getAttribute("data-knobs"));
  await dragged(page, knob, [40, 0]);
  await page.waitForFunction(() => /velocity=0\.\d+%2C-0\.4/.test(location.hash));
  const box = await page.locator("#scene").boundingBox();
  await at(page, 0);
  await dragged(page, [box.width / 2 + 10, 40], [-60, 0]);
  await page.waitForFunction(() => /set=(slope|height)/.test(location.hash));

  // In space, with restitution; unticked, nothing is proved any more.
  await chosen(page, "cube-on-edge");
  await proved(page, /with Stronge's coefficient of restitution/);
  await page.locator("#set").screenshot({ path: `${pictures}/proof.png` });
  await page.locator("#proof").uncheck();
  await page.waitForFunction(() => document.getElementById("plot").dataset.proof === "[]");
  assert.equal(await page.locator("#proved").textContent(), "");
  await chosen(page, "rocking-block");

  // The map knows where the problem is.
  await page.waitForFunction(() => /You are here: [\d.]/.test(document.getElementById("map-caption").textContent));

  // Taken along: lines for Python, a picture, a film, the speed of this machine.
  await page.locator("#reset").click();
  await settled(page);
  await page.locator("#copy-python").click();
  await page.waitForFunction(() => document.getElementById("shared").textContent === "Copied.");
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /import carom[^]*carom\.scene\("rocking-block"\)[^]*carom\.sample/);
  const picture = await saved(page, "#save-picture");
  assert.equal(picture.name, "carom-rocking-block.png");
  assert.ok(picture.bytes.length > 20_000 && picture.bytes.subarray(1, 4).toString() === "PNG");
  const film = await saved(page, "#save-loop");
  assert.ok(/\.(webm|mp4)$/.test(film.name) && film.bytes.length > 20_000, `${film.name}, ${film.bytes.length} bytes`);
  await page.locator("#measure").click();
  await page.waitForFunction(() => /^[\d.e-]+ million verified outcomes a second: rocking block/.test(document.getElementById("rate").textContent));
  console.log(await page.locator("#rate").textContent());

  // A screen reader meets what there is: headings, pictures with words, buttons with names.
  const tree = await page.locator("body").ariaSnapshot();
  for (const part of [
    /heading "Same robot, same step\. All of this is possible\." \[level=1\]/, /application "\d+ outcomes, [^"]* across/,
    /application "A map of unpredictability/, /group "Scenes"/, /slider "Time"/, /button "ramone"/, /slider "slope/,
  ]) assert.match(tree, part);
  assert.doesNotMatch(tree, /- (button|img|slider|combobox)(:| \[|$)/m);

  // A large problem holds up nothing.
  await pasted(page, heap(20, 30), () => {});
  await page.waitForTimeout(1000);
  const since = Date.now();
  await chosen(page, "rocking-block");
  assert.ok(Date.now() - since < SOON, `${Date.now() - since} ms`);

  // A small link that would be a gigabyte.
  const bomb = deflateRawSync(Buffer.alloc(64 << 20, 32), { level: 9 }).toString("base64url");
  await page.evaluate((bomb) => (location.hash = `#problem=${bomb}`), bomb);
  await page.waitForFunction(() => document.getElementById("fault").textContent.includes("longer than 4 million characters"));
  await page.close();

  // Dark, within another page, and as one file.
  const dark = await visit("?embed#scene=box-and-wall");
  await dark.emulateMedia({ colorScheme: "dark" });
  await settled(dark);
  assert.ok(await dark.locator("header").isHidden() && (await dark.locator("#scene").isVisible()));
  const corner = await dark.evaluate(() => [...document.getElementById("plot").getContext("2d").getImageData(200, 200, 400, 1).data]);
  assert.ok(corner.some((x, i) => i % 4 === 0 && x > 60) && lightest(await dark.evaluate(() => getComputedStyle(document.body).backgroundColor)) < 60);
  await dark.screenshot({ path: `${pictures}/dark.png` });
  await dark.close();
  const alone = await visit(`${pathToFileURL(resolve(folder, "carom.html"))}#scene=compass-gait`);
  await settled(alone);
  assert.ok(await alone.locator("#local").isHidden());
  assert.ok(Number((await data(alone)).accepted) >= 1024);
  await alone.locator("#proof").check();
  assert.match(await alone.locator("#proved").textContent(), /need the served page/);
  await alone.close();
  assert.deepEqual(faults, []);
  console.log("the playground passes");
} finally {
  await close();
}

/** The lightest part of a colour. */
function lightest(colour) {
  return Math.max(...colour.match(/\d+/g).slice(0, 3).map(Number));
}
