// Drives the page in Chromium: it loads, is dragged, is clicked, follows a link, and says how fast it draws.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { STEP, browser, within } from "./browser.mjs";
import { serve } from "./serve.mjs";

const [folder, pictures] = process.argv.slice(2);
const { url, close } = await serve(folder);
mkdirSync(pictures, { recursive: true });
const { context, close: quit } = await browser({ viewport: { width: 1280, height: 900 } });
const faults = [];

/** A page that has drawn, once it rests. */
async function opened(fragment) {
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("crash", () => faults.push("the page has crashed"));
  await page.goto(`${url}${fragment}`);
  await page.waitForFunction(() => Number(document.body.dataset.drawn) > 0);
  return page;
}

/** Waits until nothing moves any more. */
const settled = (page) => page.waitForFunction(() => document.body.dataset.state === "settled");

const data = (page) => page.evaluate(() => ({ ...document.body.dataset }));

/** Pixels of the set that have a colour of contact modes. */
const coloured = (page) =>
  page.evaluate(() => {
    const canvas = document.getElementById("plot");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      const [r, g, b] = data.subarray(i, i + 3);
      if (Math.max(r, g, b) - Math.min(r, g, b) > 60) count++;
    }
    return count;
  });

/** Drags a slider until so many frames are drawn; frames a second, and samples of a frame, at the end. */
async function dragged(page, knob, frames) {
  const slider = page.locator(`input[data-knob="${knob}"]`);
  await slider.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await slider.boundingBox();
  await page.mouse.move(x + 0.5 * width, y + height / 2);
  await page.mouse.down();
  const last = Number((await data(page)).frames) + frames;
  const drag = async () => {
    for (let i = 0; Number((await data(page)).frames) < last; i++) {
      await page.mouse.move(x + (0.5 + 0.35 * Math.sin(i / 15)) * width, y + height / 2);
      await page.waitForTimeout(15);
    }
  };
  await within(STEP, `drawing ${frames} frames`, drag());
  const { fps, drawn } = await data(page);
  await page.mouse.up();
  return { fps: Number(fps), samples: Number(drawn), value: await slider.inputValue() };
}

try {
  // On the CPU, it loads, draws thousands of points, and draws others when a slider is dragged.
  const page = await opened("#scene=rocking-block&device=cpu");
  await settled(page);
  const first = await data(page);
  assert.ok(Number(first.accepted) >= 4096 && first.gpu === "false", JSON.stringify(first));
  const points = await coloured(page);
  assert.ok(points > 500, `${points} coloured pixels`);
  const before = await page.evaluate(() => document.getElementById("plot").toDataURL());
  const cpu = await dragged(page, "velocity block.theta", 60);
  await settled(page);
  assert.notEqual(await page.evaluate(() => document.getElementById("plot").toDataURL()), before);
  assert.ok(cpu.samples >= 1000, JSON.stringify(cpu));
  console.log(`WebAssembly, rocking-block: ${cpu.fps} frames a second of ${cpu.samples} samples while dragged`);

  // A click on a sample replays it, and the command names it.
  await page.locator("#reset").click();
  await settled(page);
  await page.locator("#plot").scrollIntoViewIfNeeded();
  const box = await page.locator("#plot").boundingBox();
  const near = async (x, y) => {
    await page.mouse.move(box.x + x, box.y + y);
    return /^Sample \d+: /.test(await page.locator("#tip").textContent());
  };
  let place;
  for (let k = 1; k < 200 && !place; k++) {
    const at = [(k * 0.618034) % 1, k / 200].map((part, i) => part * [box.width, box.height][i]);
    if (await near(...at)) place = at;
  }
  assert.ok(place, "no sample under the pointer");
  await page.mouse.click(box.x + place[0], box.y + place[1]);
  await page.locator("#replay").waitFor({ state: "visible" });
  const command = await page.locator("#command").textContent();
  assert.match(command, /^carom replay rocking-block --seed 0 --sample \d+ --precision f32 --device cpu$/);
  await page.waitForFunction(() => {
    const step = document.getElementById("step");
    return step.value === step.max;
  });
  await page.screenshot({ path: `${pictures}/desktop.png`, fullPage: true });

  // A link leads to the same sample, and its replay ends in it.
  const link = await page.evaluate(() => location.hash);
  assert.match(link, /sample=\d+/);
  const again = await opened(link);
  await again.locator("#replay").waitFor({ state: "visible" });
  assert.equal(await again.locator("#command").textContent(), command);
  assert.equal(await again.locator("#replay-title").textContent(), await page.locator("#replay-title").textContent());
  await again.close();

  // Keys go from sample to sample.
  await page.locator("#plot").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.getElementById("command").textContent.includes("--sample 1 "));
  await page.keyboard.press("Escape");
  await page.locator("#replay").waitFor({ state: "hidden" });

  // A map, cell by cell.
  await page.locator("#map-start").click();
  await page.waitForFunction(() => /\b192 of 192 cells/.test(document.getElementById("map-caption").textContent));
  await page.locator("#mapping").screenshot({ path: `${pictures}/map.png` });

  // A problem of one's own, and what is wrong with another.
  await page.locator("summary").click();
  const problem = { mass: [[1, 0], [0, 1]], normal: [[0, 1]], tangent: [[1, 0]], friction: 0.5, velocity: [1, -1] };
  await page.locator("#text").fill(JSON.stringify(problem));
  await page.locator("#open").click();
  await page.waitForFunction(() => location.hash.startsWith("#problem="));
  const own = await opened(await page.evaluate(() => location.hash));
  await own.close();
  await page.locator("#text").fill(JSON.stringify({ ...problem, velocity: [1] }));
  await page.locator("#open").click();
  await page.waitForFunction(() => document.getElementById("fault").textContent.includes("velocity"));
  await page.close();

  // In space.
  const space = await opened("#scene=cube-on-edge&device=cpu");
  await settled(space);
  await space.screenshot({ path: `${pictures}/space.png`, fullPage: true });
  await space.close();

  // A pose, and a link to one.
  const pose = await opened("#scene=billiard-break&set=theta%3D90&device=cpu");
  assert.equal(await pose.locator('input[data-knob="pose theta"]').inputValue(), "90");
  await dragged(pose, "pose theta", 5);
  await pose.waitForFunction(() => /set=theta%3D(?!90&)/.test(location.hash));
  await pose.close();

  // Through WebGPU, in software here.
  const gpu = await opened("#scene=compass-gait&device=gpu");
  await settled(gpu);
  assert.equal((await data(gpu)).gpu, "true");
  const drawn = await dragged(gpu, "velocity hip.y", 20);
  assert.ok(drawn.samples >= 256, JSON.stringify(drawn));
  console.log(`WebGPU, compass-gait: ${drawn.fps} frames a second of ${drawn.samples} samples while dragged`);
  await gpu.close();

  // On a phone nothing is wider than the screen.
  const phone = await opened("#scene=compass-gait&device=cpu");
  await phone.setViewportSize({ width: 390, height: 844 });
  await settled(phone);
  const wide = await phone.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `${wide} pixels wide`);
  await phone.screenshot({ path: `${pictures}/phone.png`, fullPage: true });
  await phone.close();
  assert.deepEqual(faults, []);
  console.log(`the page passes; pictures in ${pictures}`);
} finally {
  await quit();
  close();
}
