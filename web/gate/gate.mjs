// Runs the shader gate in Chromium, and says what it showed. Fails where a kernel does not compile or samples differ.

import { WHOLE, browser, within } from "./browser.mjs";
import { serve } from "./serve.mjs";

/** Shares of the samples that a kernel ends that must end as on the CPU, and with the same velocity. */
const [SAME, NEAR] = [0.98, 0.97];

const { url, close } = await serve(process.argv[2]);
const { context, close: quit } = await browser();
let failed = false;
const fail = (text) => {
  failed = true;
  console.error(`FAILED ${text}`);
};
try {
  const page = await context.newPage();
  page.on("pageerror", (error) => fail(error.message));
  page.on("console", (message) => message.type() === "error" && console.error(message.text()));
  page.on("crash", () => fail("the page has crashed"));
  await page.goto(url);
  await page.waitForFunction(() => "gate" in window);
  const { adapter, compiled, cases } = await within(WHOLE, "the gate", page.evaluate(() => window.gate));
  console.log(`${compiled.count} programs compiled, ${compiled.faults.length} refused, on ${adapter}`);
  compiled.faults.forEach(fail);
  for (const one of cases) {
    if (one.error) {
      fail(`${one.name}: ${one.error}`);
      continue;
    }
    const { name, kernel, expected, samples, own, least, same, near, others, most, seconds } = one;
    const share = (n) => `${((100 * n) / own).toFixed(2)} %`;
    console.log(
      `${kernel.padEnd(10)} ${name.padEnd(16)} ${own} of ${samples} samples ended by the kernel: ${share(same)} as on the CPU, ` +
        `${share(near)} with the same velocity, ${share(others)} after other steps; ${seconds.toFixed(1)} s`,
    );
    if (kernel !== expected) fail(`${name}: the kernel ${kernel} instead of ${expected}`);
    if (own < least) fail(`${name}, ${kernel}: the kernel leaves too many samples to the engine`);
    if (others > most) fail(`${name}, ${kernel}: the engine takes other steps too often`);
    if (same + others < SAME * own || near + others < NEAR * own) fail(`${name}, ${kernel}: too few samples agree`);
  }
} finally {
  await quit();
  close();
}
process.exit(failed ? 1 : 0);
