// Runs the tests of the game in a real browser (make test-browser): one service and one browser for all, and contexts
// of its own for each test. It ends everything that it has started.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { launchOptions } from "./chromium.mjs";
import { startService } from "./service.mjs";

const folder = import.meta.dirname;

async function main() {
  const wanted = process.env.TEST;
  const tests = (await readdir(folder)).filter((name) => name.endsWith(".test.mjs") && (!wanted || name === `${wanted}.test.mjs`));
  const files = process.env.UPDATE_SCREENSHOTS ? ["pictures.mjs", "film.mjs"] : tests;
  if (files.length === 0) throw new Error(`TEST=${wanted}: there is no ${wanted}.test.mjs in ${folder}`);
  const stops = [];
  let status = 1;
  // Children get the terminal's signals, too. This process ends after them.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => (status = 1));
  try {
    const browser = await chromium.launchServer({ ...launchOptions(), handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false });
    stops.push(() => browser.close());
    const service = await startService();
    stops.push(() => service.stop());
    const env = { ...process.env, RANCH_BROWSER: browser.wsEndpoint(), RANCH_PLAY: service.play, RANCH_API: service.api, RANCH_TREE: service.tree };
    const concurrency = process.env.HEADED || process.env.UPDATE_SCREENSHOTS ? 1 : 2; // a picture shows what other tests have done
    const running = spawn(process.execPath, ["--test", "--test-reporter=spec", `--test-concurrency=${concurrency}`, ...files.map((name) => join(folder, name))], { env, stdio: "inherit" });
    for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => running.kill(signal));
    [status] = await once(running, "exit");
    if (status !== 0) console.error(`\nThe last lines of the service:\n${service.lastLines()}`);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
  return status ?? 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
