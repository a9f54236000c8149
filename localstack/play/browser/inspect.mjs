// How a page is looked at: light and dark, wide and on the smallest phone, where nothing scrolls sideways. axe-core finds
// nothing, and nothing moves for those who want less of it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const looks = ["light", "dark"].flatMap((colorScheme) => [1280, 320].map((width) => ({ colorScheme, width })));

/** Each colour and each width once, for a page that is long, or has little that others have not. */
export const someLooks = [looks[1], looks[2]];

/** Looks at a page as it is now, by all of axe's rules but those given. */
export async function inspect(page, view, ways = looks, without = []) {
  for (const { colorScheme, width } of ways) {
    const look = `${view}, ${colorScheme}, ${width} px`;
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 800 });
    const [wide, seen] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(wide <= seen, `${look}: the page is ${wide} px wide in ${seen}`);
    const moving = await page.evaluate(() => document.getAnimations().filter((a) => a.playState === "running" && a.effect.getComputedTiming().endTime > 50).length);
    assert.equal(moving, 0, `${look}: something moves for those who want less of it`);
    await page.evaluate(axe); // not by the page itself, whose policy stays as it is
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
    const found = violations.filter(({ id }) => !without.includes(id)).map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.map((n) => `  ${n.target}\n  ${n.failureSummary}`).join("\n")}`);
    assert.equal(found.length, 0, `${look}: ${found.join("\n")}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}
