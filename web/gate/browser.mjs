// Chromium without a screen, with WebGPU in software; and waiting for what may never come.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

/** Nothing here takes longer on a slow machine that others use too, in ms: a start, a step in a page, a whole gate. */
export const [START, STEP, WHOLE] = [120_000, 180_000, 1_200_000];

const TRIES = 3;

const OPTIONS = [
  "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

/** WebGPU in software. */
const WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];

/** A browser with a profile of its own; one that does not start is tried again. What it says is shown where it fails. */
export async function browser(settings, webgpu = true) {
  for (let left = TRIES - 1; ; left--) {
    const profile = mkdtempSync(join(tmpdir(), "carom-web-"));
    const remove = () => rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    try {
      const context = await chromium.launchPersistentContext(profile, {
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        headless: true,
        ignoreDefaultArgs: ["--disable-gpu", "--hide-scrollbars"],
        args: [...OPTIONS, ...(webgpu ? WEBGPU : [])],
        timeout: START,
        ...settings,
      });
      context.setDefaultTimeout(STEP);
      context.setDefaultNavigationTimeout(STEP);
      const close = async () => {
        await context.close();
        remove();
      };
      return { context, close };
    } catch (error) {
      remove();
      // The message has what the browser wrote to stderr, and then all of it once more.
      console.error(`Chromium does not start: ${error.message.split("Call log:")[0].trim()}`);
      if (left === 0) throw new Error(`Chromium does not start, in ${TRIES} tries`);
    }
  }
}

/** What a promise resolves to, unless it takes too long. */
export async function within(milliseconds, what, promise) {
  let timer;
  const late = new Promise((_, failed) => {
    timer = setTimeout(() => failed(new Error(`${what} took more than ${milliseconds / 1e3} s`)), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
