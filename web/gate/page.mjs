// Drives the page in Chromium: it loads, is dragged, is clicked, follows a link, and says how fast it draws.

import assert from "node:assert/strict";
import { STEP, browser, within } from "./browser.mjs";
import { address, chosen, data, driver, fault, heap, pasted, settled, status } from "./driver.mjs";

const [folder, pictures] = process.argv.slice(2);
const { url, context, faults, visit: opened, close } = await driver(folder, pictures);

/** Samples that a frame has however slow the machine is; thousands are asked for once it rests. */
const LEAST = 16;

/** The planar scenes whose pose can change. */
const POSES = [
  "rocking-block", "compass-gait", "box-and-wall", "ramone", "disk-stack", "newtons-cradle", "billiard-break", "tailed-runner", "ball-row",
  "triple-pendulum",
];

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
  assert.ok(cpu.samples >= LEAST, JSON.stringify(cpu));
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

  // A map, cell by cell, over two numbers that differ.
  await page.selectOption("#map-y", await page.locator("#map-x").inputValue());
  assert.match(await page.locator("#map-caption").textContent(), /two different numbers/);
  await page.selectOption("#map-y", { label: "friction: all contacts" });
  await page.waitForFunction(() => /\b192 of 192 cells/.test(document.getElementById("map-caption").textContent));
  await page.locator("#mapping").screenshot({ path: `${pictures}/map.png` });

  // A problem of one's own, and what is wrong with another.
  await page.locator("#paste > summary").click();
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

  // What cannot be opened says why, and leaves the page as it was.
  const odd = await opened("#scene=ramone");
  await settled(odd);
  const whole = await odd.locator("#text").inputValue();
  for (const [text, why] of [
    [" ", /no text/],
    ["asdf qwer", /line 1.*not valid TOML.*choose a scene/],
    [whole.slice(0, whole.length / 2), /line \d+|missing/],
    ['{"mass": [[1', /not valid JSON/],
    ["{}", /`mass` is missing/],
  ]) {
    await pasted(odd, text);
    assert.match(await fault(odd), why);
    assert.match(await address(odd), /^#scene=ramone&/);
    assert.equal(await odd.locator("#scenes").inputValue(), "ramone");
  }
  for (const [link, why] of [
    ["#scene=nowhere", /no scene `nowhere`/],
    ["#problem=abcd", /cut off/],
    ["#scene=ramone&velocity=1,x", /no number in velocity/],
    ["#scene=ramone&velocity=1e300,0,0,0,0,0,0", /overflow/],
    ["#scene=ramone&seed=-1", /seed/],
    ["#scene=ramone&set=foo", /set=foo/],
    ["#scene=ramone&axes=trunk.x", /axes/],
    ["#scene=ramone&sample=x", /sample/],
  ]) {
    await odd.evaluate((link) => (location.hash = link), link);
    await odd.waitForFunction((why) => new RegExp(why).test(document.getElementById("fault").textContent), why.source);
    await settled(odd);
    assert.match(await address(odd), /^#scene=ramone&/);
    const fresh = await opened(link);
    await settled(fresh);
    assert.match(await fault(fresh), why);
    await fresh.close();
  }
  await chosen(odd, "rocking-block");
  assert.equal(await fault(odd), "");
  assert.ok(await odd.locator("#exact").isVisible());

  // Scenes chosen faster than they open, and the way back.
  for (const scene of ["cube-on-face", "disk-stack", "newtons-cradle"]) await odd.selectOption("#scenes", scene);
  await settled(odd);
  assert.match(await address(odd), /^#scene=newtons-cradle&/);
  assert.equal(await odd.locator('input[data-knob="velocity A.d"]').count(), 1);
  assert.match(await status(odd), /there is one outcome/);
  for (const [way, scene] of [["goBack", "rocking-block"], ["goBack", "ramone"], ["goForward", "rocking-block"]]) {
    await odd[way]();
    await odd.waitForFunction((scene) => document.getElementById("scenes").value === scene, scene);
    await settled(odd);
    assert.match(await address(odd), new RegExp(`^#scene=${scene}&`));
  }

  // Twelve contacts hold up nothing that comes after them.
  await pasted(odd, heap(12, 9));
  assert.equal(await fault(odd), "");
  await chosen(odd, "rocking-block");
  await odd.locator("#plot").press("Home");
  await odd.locator("#replay").waitFor({ state: "visible" });

  // Every planar scene has a pose, and its sliders end where the scene does.
  for (const scene of [...POSES, "disk-stack-as-published"]) {
    await chosen(odd, scene);
    const poses = await odd.locator('input[data-knob^="pose"]').evaluateAll((all) => all.map(({ dataset }) => dataset.knob));
    assert.equal(poses.length > 0, POSES.includes(scene), scene);
    for (const knob of poses) {
      for (const key of ["Home", "End"]) {
        await odd.locator(`input[data-knob="${knob}"]`).press(key);
        await settled(odd);
        assert.equal(await fault(odd), "", `${scene}, ${knob}, ${key}`);
      }
      await odd.locator("#reset").click();
      await settled(odd);
    }
  }
  await odd.close();

  // Without its engine the page says so.
  const lame = await context.newPage();
  await lame.route("**/carom.wasm", (route) => route.fulfill({ status: 404 }));
  await lame.goto(url);
  await lame.waitForFunction(() => document.getElementById("fault").textContent.includes("carom.wasm"));
  await lame.close();

  // Without WebGPU, too, there are thousands of points.
  const plain = await browser({ viewport: { width: 1280, height: 900 } }, false);
  try {
    const without = await opened("#scene=compass-gait&device=gpu", plain.context);
    await settled(without);
    assert.match(await status(without), /WebAssembly, as this browser offers no WebGPU/);
    assert.ok(Number((await data(without)).accepted) >= 4096);
  } finally {
    await plain.close();
  }

  // In space.
  const space = await opened("#scene=cube-on-edge&device=cpu");
  await settled(space);
  await space.screenshot({ path: `${pictures}/space.png`, fullPage: true });
  await space.close();

  // A pose, and a link to one.
  const pose = await opened("#scene=billiard-break&set=theta%3D90&device=cpu");
  await settled(pose);
  assert.equal(await pose.locator('input[data-knob="pose theta"] + output').textContent(), "90");
  await dragged(pose, "pose theta", 5);
  await pose.waitForFunction(() => /set=theta%3D(?!90&)/.test(location.hash));
  await pose.close();

  // Through WebGPU, in software here.
  const gpu = await opened("#scene=compass-gait&device=gpu");
  await settled(gpu);
  assert.equal((await data(gpu)).gpu, "true");
  const drawn = await dragged(gpu, "velocity hip.y", 20);
  assert.ok(drawn.samples >= LEAST, JSON.stringify(drawn));
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
  await close();
}
