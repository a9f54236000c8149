// The driver of the GDScript client. The client runs in Godot's engine for browsers (driver.gd). This program passes
// the lines between the suite and the page. With the argument "node", it also sends the client's requests. With
// "units", it runs units.gd, and checks that the README's samples compile and the changelog has the addon's version.
import { once } from "node:events";
import { request } from "node:http";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { play } from "./godot.mjs";

const root = new URL("../../../../../", import.meta.url).pathname;
const folders = [join(root, "shared/client/gdscript"), import.meta.dirname];
const api = "http://127.0.0.1"; // the page's address; each client has its own
const underWay = new Map(); // the controllers of exchanges, by their ids

/** Makes one exchange as a native program does: it knows whether it had a connection, and follows no redirection. */
async function exchange({ id, method, url, headers, body, timeoutMs, maxBytes }) {
  const ending = new AbortController();
  underWay.set(id, ending);
  let sent = false;
  try {
    const sending = request(url, { method, signal: AbortSignal.any([ending.signal, AbortSignal.timeout(timeoutMs)]), agent: false });
    for (const header of headers) sending.setHeader(...header.split(/: (.*)/s, 2));
    sending.on("socket", (socket) => socket.once("connect", () => (sent = true))).end(body);
    const [response] = await once(sending, "response");
    const answer = { status: response.statusCode, headers: response.headers };
    const chunks = [];
    let size = 0;
    for await (const chunk of response) {
      size += chunk.length;
      if (size > maxBytes) return answer;
      chunks.push(chunk);
    }
    return { ...answer, body: Buffer.concat(chunks).toString() };
  } catch {
    return { status: 0, sent };
  } finally {
    underWay.delete(id);
  }
}

async function prepare(page) {
  let begin;
  const ready = new Promise((resolve) => (begin = resolve));
  await page.exposeFunction("ready", begin);
  await page.exposeFunction("answer", (line) => process.stdout.write(`${line}\n`));
  await page.exposeFunction("exchange", async (asked) => JSON.stringify(await exchange(JSON.parse(asked))));
  await page.exposeFunction("giveUp", (id) => underWay.get(id)?.abort());
  createInterface({ input: process.stdin })
    .on("line", (line) => ready.then(() => page.evaluate((line) => window.ask(line), line)))
    .on("close", () => page.context().browser().close().then(() => process.exit()));
}

async function units() {
  const folder = mkdtempSync(join(tmpdir(), "ranch-gdscript-"));
  const [, version] = /^version="(.*)"$/m.exec(readFileSync(join(folders[0], "addons/ranch/plugin.cfg"), "utf8"));
  if (!readFileSync(join(folders[0], "CHANGELOG.md"), "utf8").includes(`## ${version}\n`)) throw new Error(`CHANGELOG.md has no version ${version}`);
  const readme = readFileSync(join(folders[0], "README.md"), "utf8");
  const samples = [...readme.matchAll(/```gdscript\n(.*?)```/gs)].map(([, sample]) => sample);
  samples.forEach((sample, i) => writeFileSync(join(folder, `sample${i}.gd`), sample));
  try {
    return await play({ api, folders: [...folders, folder], texts: [...texts, String(samples.length)], said: console.log });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const texts = process.argv.slice(2);
if (texts.includes("units")) process.exit(await units());
process.exit(await play({ api, folders, texts, said: console.error, prepare })); // Godot's output is no message for the suite
