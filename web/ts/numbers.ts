// Numbers in words.

/** About `count` round numbers between two. */
export function ticks(low: number, high: number, count: number): number[] {
  const raw = (high - low) / count;
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((x) => x * power).find((x) => x >= raw)!;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step);
}

/** A tick of `ticks`, with as many digits as tell it from the others. */
export function tick(x: number, all: number[]): string {
  const step = all.length > 1 ? all[1] - all[0] : Math.abs(x) || 1;
  const most = Math.max(...all.map(Math.abs));
  if (Math.abs(x) < 1e-9 * step) return "0";
  const text =
    most < 1e5 && step > 9e-7
      ? x.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)))
      : x.toExponential(Math.min(15, Math.max(0, Math.floor(Math.log10(Math.abs(x) / step) + 1e-9))));
  return text.replace("e+", "e").replaceAll("-", "\u2212");
}

/** A number of at most three digits. */
export const short = (x: number) => (x === 0 ? "0" : String(Number(x.toPrecision(3))).replace("-", "\u2212"));
