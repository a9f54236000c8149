// The page of the contract, which is beside the game.
import assert from "node:assert/strict";
import { inspect, someLooks } from "./inspect.mjs";
import { api, play, playing } from "./stage.mjs";

playing("the reference has no scripts, and is for everybody", async (stage) => {
  const context = await stage.context();
  const page = await context.newPage();
  await page.goto(`${play}/reference/`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.equal(await page.locator("script").count(), 0, "it has scripts");
  await page.getByText(`${api}/auth/register`).first().waitFor();
  await inspect(page, "the reference", someLooks);
});
