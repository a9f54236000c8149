// The page of the API beside the game: Swagger UI, which sends no request to another host (stage.mjs watches it).
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect, someLooks } from "./inspect.mjs";
import { another } from "./scene.mjs";
import { play, playing } from "./stage.mjs";
import { root } from "./service.mjs";

/** The problems in Swagger UI's structure that our stylesheet cannot change (docs/adr/0023). */
const ofSwaggerUI = ["nested-interactive", "region", "scrollable-region-focusable", "select-name"];

async function openReference(stage) {
  const context = await stage.context();
  const page = await context.newPage();
  await page.goto(`${play}/reference/`);
  await page.locator(".opblock").first().waitFor();
  return page;
}

playing("the reference has every operation of the contract, and is for everybody", async (stage) => {
  const page = await openReference(stage);
  const contract = await readFile(join(root, "docs/openapi.yaml"), "utf8");
  const operations = [...contract.matchAll(/^ +operationId: (\w+)$/gm)].map(([, id]) => id);
  assert.ok(operations.length > 10, `the contract has ${operations.length} operations`);
  const shown = await page.locator(".opblock").evaluateAll((blocks) => blocks.map(({ id }) => id.split("-").at(-1)));
  assert.deepEqual(shown.toSorted(), operations.toSorted());
  await inspect(page, "the reference", someLooks, ofSwaggerUI);
});

playing("an operation can be tried out with the running API", async (stage) => {
  const { client, animals } = await another();
  const { token } = await client.session();
  const page = await openReference(stage);
  await page.getByRole("button", { name: "Authorize", exact: true }).click();
  const dialog = page.locator(".dialog-ux");
  await dialog.getByRole("textbox").fill(token);
  await dialog.getByRole("button", { name: "Apply credentials" }).click();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  const operation = page.locator("[id$=-listAnimals]");
  await operation.locator(".opblock-summary-control").click();
  await operation.getByRole("button", { name: "Try it out" }).click();
  await operation.getByRole("button", { name: "Execute" }).click();
  await operation.locator(".live-responses-table").getByText(animals[0].id).first().waitFor();
  await inspect(page, "an operation that was tried out", someLooks, ofSwaggerUI);
});
