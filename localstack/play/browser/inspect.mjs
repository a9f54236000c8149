// Checks a page in all looks: light and dark, from a desktop to the smallest phone, and magnified. Nothing scrolls
// sideways, axe-core finds no problem, and nothing moves if the system asks for less motion.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// A desktop at 200 % is 640 px wide. A phone may show text in twice the size.
const looks = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "light", width: 360 },
  { colorScheme: "light", width: 360, text: "200%" },
  { colorScheme: "dark", width: 1280 },
  { colorScheme: "dark", width: 640 },
  { colorScheme: "dark", width: 320 },
];

/** A part of the looks: both colour schemes, wide, narrow and magnified. */
export const someLooks = [looks[2], looks[3], looks[5]];

/** Checks a page as it is now, by all rules of axe except those in without. */
export async function inspect(page, view, ways = looks, without = []) {
  for (const { colorScheme, width, text = "100%" } of ways) {
    const look = `${view}, ${colorScheme}, ${width} px, text of ${text}`;
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 800 });
    await page.evaluate((size) => (document.documentElement.style.fontSize = size), text);
    const [wide, seen, widest] = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      const beyond = [...document.querySelectorAll("main *, .bar *")].filter((element) => element.getBoundingClientRect().right > clientWidth);
      return [scrollWidth, clientWidth, beyond.map((element) => `${element.tagName}.${element.className}`).slice(0, 9)];
    });
    assert.ok(wide <= seen, `${look}: the page is ${wide} px wide in ${seen}, by ${widest}`);
    const moving = await page.evaluate(() => document.getAnimations().filter((a) => a.playState === "running" && a.effect.getComputedTiming().endTime > 50).length);
    assert.equal(moving, 0, `${look}: something moves for those who want less of it`);
    await page.evaluate(axe); // not by a script element, so that the page's policy stays in force
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
    const found = violations.filter(({ id }) => !without.includes(id)).map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.map((n) => `  ${n.target}\n  ${n.failureSummary}`).join("\n")}`);
    assert.equal(found.length, 0, `${look}: ${found.join("\n")}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.evaluate(() => (document.documentElement.style.fontSize = ""));
}
