// The page of the API beside the game: Swagger UI, which sends no request to another host (stage.mjs watches it).
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect, someLooks } from "./inspect.mjs";
import { another } from "./scene.mjs";
import { play, playing } from "./stage.mjs";
import { root } from "./service.mjs";

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
  const first = await page.locator(".opblock, .info").first().getAttribute("class");
  assert.match(first, /opblock/, "the operations come first");
  await inspect(page, "the reference", someLooks);
});

playing("an operation has columns apart and the known values, and a link leads back to the game", async (stage) => {
  const page = await openReference(stage);
  await page.setViewportSize({ width: 360, height: 640 });
  const operation = page.locator("[id$=-listShows]");
  await operation.locator(".opblock-summary-control").click();
  await operation.locator(".parameters-col_name").first().waitFor();
  const rows = await operation.locator("tr[data-param-name]").evaluateAll((all) => all.map((row) => {
    const range = document.createRange();
    range.selectNodeContents(row.cells[0]);
    return { name: row.dataset.paramName, end: range.getBoundingClientRect().right, next: row.cells[1].getBoundingClientRect().left };
  }));
  assert.ok(rows.length >= 3);
  for (const { name, end, next } of rows) assert.ok(end <= next, `${name} runs into its description: ${end} > ${next}`);
  await operation.getByRole("tab", { name: "Schema" }).first().click();
  await operation.getByRole("button", { name: "Expand all" }).first().click();
  await operation.getByText("Known values: open, completed, cancelled.").first().waitFor();
  await inspect(page, "an operation's schema", someLooks);
  await page.getByRole("link", { name: "Back to the game" }).click();
  await page.getByRole("button", { name: "Play as a guest" }).waitFor();
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
  await inspect(page, "an operation that was tried out", someLooks);
});
