// In windows of every usual size, the main button of each view is in sight before the player scrolls.
import assert from "node:assert/strict";
import { logIn, openShow, welcome } from "./hands.mjs";
import { another, createShow } from "./scene.mjs";
import { address, playing } from "./stage.mjs";

const sizes = [[1280, 800], [1366, 768], [1440, 900], [390, 844], [360, 640]];

playing("the main button of each view is in sight without scrolling", async (stage) => {
  const { client, registration, animals } = await another();
  const [open, judged] = [await createShow(), await createShow({ fee: 0 })];
  const rivals = [await another(), await another()];
  await client.enter(judged.id, animals[0].id);
  for (const rival of rivals) await rival.client.enter(judged.id, rival.animals[0].id);
  await client.judge(judged.id);

  const hidden = [];
  let measured = 0;
  const page = await stage.page();
  const measure = async (view, button) => {
    await button.waitFor();
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      await page.evaluate(() => scrollTo(0, 0));
      measured++;
      const seen = await button.evaluate((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        const inside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
        const above = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        return { ok: inside && element.contains(above), top, bottom, above: above?.className };
      });
      if (!seen.ok) hidden.push(`${view} at ${width}x${height}: ${JSON.stringify(seen)}`);
    }
  };

  await measure("the welcome", welcome(page));
  await logIn(page, registration);
  await page.getByRole("list", { name: "Your shows" }).waitFor();
  await measure("the ranch", page.getByRole("link", { name: /^Claim \d+ gold$/ }));
  await page.goto(address("#/shows"));
  await measure("the shows", page.getByRole("list", { name: "Shows" }).getByRole("link").first());
  await openShow(page, open);
  await measure("an open show", page.getByRole("button", { name: "Enter an animal" }));
  await page.getByRole("button", { name: "Enter an animal" }).click();
  await measure("the choice of an animal", page.getByRole("button", { name: /^Enter .* for 25 gold$/ }));
  await page.keyboard.press("Escape");
  await openShow(page, judged);
  await measure("a judged show", page.getByRole("button", { name: "Claim prize" }));
  assert.deepEqual(hidden, [], `${hidden.length} of ${measured} are out of sight`);
  assert.equal(measured, 30);
});
