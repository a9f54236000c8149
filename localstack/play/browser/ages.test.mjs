// The oldest browsers that the TypeScript client's README names. The test takes away every function, class and property
// of the platform that one of them lacks, by MDN's data, and plays.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import data from "@mdn/browser-compat-data" with { type: "json" };
import { join } from "node:path";
import { goTo, moveIn, openShow, ranch, win } from "./hands.mjs";
import { comeIn, createShow } from "./scene.mjs";
import { root } from "./service.mjs";
import { playing } from "./stage.mjs";

const readme = await readFile(join(root, "shared/client/typescript/README.md"), "utf8");
const [, chrome, firefox, safari] = /Chrome and Edge (\d+), Firefox (\d+) and Safari ([\d.]+)/.exec(readme);
const oldest = { chrome, firefox, safari };

// Compares versions such as 15.4 and 103 by their numbers. Versions that a browser did not have in any form are false.
function isSince(version, limit) {
  const [a, b] = [version, limit].map((text) => String(text).replace("≤", "").split(".").map(Number));
  return a[0] !== b[0] ? a[0] < b[0] : (a[1] ?? 0) <= (b[1] ?? 0);
}

const isPlain = ({ flags, prefix, alternative_name }) => !flags && !prefix && !alternative_name;

/** Whether one of the oldest browsers lacks a feature. */
function isYounger(feature) {
  const support = feature.__compat?.support;
  return support !== undefined && Object.entries(oldest).some(([browser, limit]) => !([support[browser] ?? []].flat().some((s) => isPlain(s) && isSince(s.version_added, limit))));
}

/** The younger features, as paths such as Response.json for a static function and Response.prototype.json for another. */
function younger() {
  const found = [];
  for (const [owner, feature] of Object.entries({ ...data.api, ...data.javascript.builtins })) {
    if (isYounger(feature)) found.push(owner);
    for (const [name, part] of Object.entries(feature).filter(([, part]) => isYounger(part))) {
      if (!name.endsWith("_static")) found.push(`${owner}.prototype.${name}`);
      if (name.endsWith("_static") || owner in data.javascript.builtins) found.push(`${owner}.${name.replace("_static", "")}`);
      if (owner === "Window") found.push(name);
    }
  }
  return found;
}

playing("the oldest browsers play the whole loop", async (stage) => {
  const show = await createShow({ fee: 25 });
  const context = await stage.context();
  await context.addInitScript((paths) => {
    for (const path of paths.map((path) => path.split("."))) {
      const owner = path.slice(0, -1).reduce((place, name) => place?.[name], globalThis);
      if (owner) delete owner[path.at(-1)];
    }
  }, younger());
  const page = await stage.page({ context });
  assert.deepEqual(await page.evaluate(() => [URL.canParse, [].toSorted, globalThis.scheduler, "size" in URLSearchParams.prototype]), [undefined, undefined, undefined, false]);
  const me = await moveIn(page);
  const [animal] = await (await comeIn(me)).client.animals();
  await goTo(page, "Shows");
  await page.getByRole("navigation", { name: "Tier" }).getByRole("link", { name: "Rookie" }).click();
  await page.getByRole("list", { name: "Shows" }).getByRole("link", { name: show.name }).waitFor();
  await openShow(page, show);
  await win(page, show, animal.name);
  await page.goto("about:blank");
  await page.goBack();
  await goTo(page, "Ranch");
  await ranch(page).waitFor();
});
