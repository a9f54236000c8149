// Finds a chromium on this machine; never downloads a browser. As a program, this file only checks that there is one.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome"];

export function findChromium() {
  const { CHROMIUM, PATH = "" } = process.env;
  const candidates = CHROMIUM ? [CHROMIUM] : names.flatMap((name) => PATH.split(delimiter).map((folder) => join(folder, name)));
  const found = candidates.find(isExecutable);
  if (found === undefined) throw new Error("chromium is missing: install Debian's chromium, or set CHROMIUM=/path");
  return found;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The options for a launch: also as root, with a profile of its own, and without requests to the browser's makers. */
export const launchOptions = () => ({
  executablePath: findChromium(),
  headless: !process.env.HEADED,
  slowMo: process.env.HEADED ? 250 : 0,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP phone.example 127.0.0.1",
  ],
});

if (process.argv[1] === import.meta.filename) {
  try {
    findChromium();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
