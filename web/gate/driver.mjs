// A browser that visits the page, and what its tests share.

import { mkdirSync } from "node:fs";
import { browser } from "./browser.mjs";
import { serve } from "./serve.mjs";

/** Serves the page, starts a browser; `visit` opens a fragment of it and waits until it has drawn. */
export async function driver(folder, pictures) {
  const { url, close: down } = await serve(folder);
  mkdirSync(pictures, { recursive: true });
  const { context, close: quit } = await browser({ viewport: { width: 1280, height: 900 } });
  const faults = [];
  async function visit(fragment, within = context) {
    const page = await within.newPage();
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    page.on("crash", () => faults.push("the page has crashed"));
    await page.goto(fragment.includes("://") ? fragment : `${url}${fragment}`);
    await page.waitForFunction(() => Number(document.body.dataset.drawn) > 0);
    return page;
  }
  const close = async () => {
    await quit();
    down();
  };
  return { url, context, faults, visit, close };
}

/** Waits until nothing is computed any more, and the sliders are there. */
export const settled = (page) =>
  page.waitForFunction(() => document.body.dataset.state === "settled" && !document.getElementById("sliders").inert);

export const address = (page) => page.evaluate(() => location.hash);
export const fault = (page) => page.locator("#fault").textContent();
export const status = (page) => page.locator("#status").textContent();
export const data = (page) => page.evaluate(() => ({ ...document.body.dataset }));
export const shown = (page, canvas) => page.evaluate((id) => document.getElementById(id).toDataURL(), canvas);

export async function chosen(page, scene) {
  await page.selectOption("#scenes", scene);
  await settled(page);
}

/** Opens a text. */
export async function pasted(page, text, wait = settled) {
  await page.evaluate(() => (document.getElementById("paste").open = true));
  await page.locator("#text").fill(text);
  await page.locator("#open").click();
  await wait(page);
}

/** A problem of so many contacts in the plane. */
export function heap(contacts, coordinates) {
  let state = 1;
  const random = () => (state = (state * 16807) % 2147483647) / 2147483647 - 0.5;
  const row = () => Array.from({ length: coordinates }, random);
  const mass = Array.from({ length: coordinates }, (_, i) => Array.from({ length: coordinates }, (_, j) => Number(i === j)));
  const rows = () => Array.from({ length: contacts }, row);
  return JSON.stringify({ mass, normal: rows(), tangent: rows(), friction: 0.6, velocity: row() });
}
