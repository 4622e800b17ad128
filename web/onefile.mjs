// The page as one file, for `file://`, mails and slides: node onefile.mjs FOLDER OUT.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const [folder, out] = process.argv.slice(2);
const bytes = (name) => readFileSync(join(folder, name));
const text = (name) => bytes(name).toString("utf8");
/** A text within a script. */
const quoted = (value) => JSON.stringify(value).replaceAll("</", "<\\/");
const script = `<script type="module">
const engine = Uint8Array.from(atob(${quoted(gzipSync(bytes("carom.wasm"), { level: 9 }).toString("base64"))}), (c) => c.charCodeAt(0));
const unpacked = new Response(new Blob([engine]).stream().pipeThrough(new DecompressionStream("gzip")));
globalThis.carom = {
  worker: URL.createObjectURL(new Blob([${quoted(text("worker.js"))}], { type: "text/javascript" })),
  engine: unpacked.arrayBuffer().then(WebAssembly.compile),
};
${text("page.js").replaceAll("</script", "<\\/script")}
</script>`;
const icon = `data:image/svg+xml;base64,${bytes("icon.svg").toString("base64")}`;
let page = text("index.html");
for (const [old, other] of [
  ['<link rel="stylesheet" href="style.css">', `<style>${text("style.css")}</style>`],
  ['<script type="module" src="page.js"></script>', script],
  [/"icon\.svg"/g, `"${icon}"`],
  ['location.protocol !== "file:"', "true"],
]) {
  const next = page.replace(old, () => other);
  if (next === page) throw new Error(`index.html lacks ${old}`);
  page = next;
}
writeFileSync(out, page);
