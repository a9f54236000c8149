// The focus while views fill in, and the order of overlapping answers.
import assert from "node:assert/strict";
import { board, chooseAnimal, goTo, holdBack, messages, moveIn, openShow, ranch } from "./hands.mjs";
import { comeIn, createShow } from "./scene.mjs";
import { playing } from "./stage.mjs";

const hasFocus = (locator) => locator.evaluate((e) => e === document.activeElement);

async function waitForFocus(page, locator) {
  const element = await locator.elementHandle();
  await page.waitForFunction((e) => e === document.activeElement, element);
}

playing("whoever chooses among filters keeps the focus there", async (stage) => {
  const page = await stage.page();
  await moveIn(page);
  await goTo(page, "Shows");
  await waitForFocus(page, board(page));
  for (const [kind, label] of [["Tier", "Rookie"], ["Status", "Judged"], ["Tier", "All tiers"]]) {
    const filter = page.getByRole("navigation", { name: kind }).getByRole("link", { name: label });
    await filter.focus();
    await page.keyboard.press("Enter");
    const chosen = page.getByRole("navigation", { name: kind }).locator("[aria-current]").filter({ hasText: label });
    await chosen.waitFor();
    await page.getByRole("main").locator("[aria-busy]").waitFor({ state: "detached" });
    assert.ok(await hasFocus(chosen), `${label} has lost the focus`);
  }
});

playing("trying again keeps the focus, whatever comes of it", async (stage) => {
  const proxy = await stage.proxy();
  const page = await stage.page({ to: proxy.url });
  await moveIn(page);
  const show = await createShow();
  proxy.answer("GET", /\/events\/shows\/[^/]+\/entries/, 418, { what: "is this" });
  await page.evaluate((id) => (location.hash = `#/shows/${id}`), show.id);
  const again = page.getByRole("button", { name: "Try again" });
  for (let tries = 1; tries <= 2; tries++) {
    const before = await again.elementHandle();
    await again.focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction((e) => !e.isConnected, before);
    assert.ok(await hasFocus(again), "the button that has taken its place");
  }
  proxy.behave();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: show.name }).waitFor();
  await waitForFocus(page, page.getByRole("heading", { level: 1 }));
});

playing("a view that fills in late takes the focus from nobody", async (stage) => {
  const page = await stage.page();
  await moveIn(page);
  const show = await createShow();
  const { held, letGo } = await holdBack(page, `**/events/shows/${show.id}/entries`);
  await page.evaluate((id) => (location.hash = `#/shows/${id}`), show.id);
  await held;
  const elsewhere = page.getByRole("button", { name: "Gold: 500" });
  await elsewhere.focus();
  await letGo();
  await page.getByRole("heading", { level: 1, name: show.name }).waitFor();
  assert.ok(await hasFocus(elsewhere));
});

playing("an older answer does not take the place of a newer one", async (stage) => {
  const page = await stage.page();
  const me = await moveIn(page);
  const [first, second] = await (await comeIn(me)).client.animals();
  const show = await createShow({ fee: 0 });
  await openShow(page, show);
  const { held, letGo } = await holdBack(page, `**/events/shows/${show.id}/entries`);
  await (await chooseAnimal(page, show, first.name)).click();
  await held; // its answer has one entry
  await messages(page).getByText(`${first.name} is entered`).waitFor();
  await (await chooseAnimal(page, show, second.name)).click();
  const entries = page.getByRole("list", { name: "Entries" }).getByRole("listitem");
  await entries.nth(1).waitFor();
  await letGo();
  assert.equal(await entries.count(), 2);
  await goTo(page, "Ranch");
  await ranch(page).waitFor();
  await page.getByRole("region", { name: "Your shows" }).getByText(`${first.name}, ${second.name}`).or(page.getByText(`${second.name}, ${first.name}`)).first().waitFor();
});

playing("a show that is judged between the answers of which it is made is shown as judged", async (stage) => {
  const page = await stage.page();
  const { client } = await comeIn(await moveIn(page));
  const [animal] = await client.animals();
  const show = await createShow({ fee: 0 });
  await client.enter(show.id, animal.id);
  let judged;
  const after = new Promise((resolve) => (judged = resolve));
  await page.route(`**/me/entries?show=${show.id}*`, async (route) => {
    const response = await route.fetch();
    await client.judge(show.id);
    judged();
    await route.fulfill({ response });
  }, { times: 1 });
  await page.route(`**/events/shows/${show.id}/entries`, async (route) => (await after, await route.continue()), { times: 1 });
  await openShow(page, show);
  await page.getByRole("list", { name: "Podium" }).getByText(animal.name).waitFor();
  assert.equal(await page.getByRole("button", { name: "Judge this show" }).count(), 0);
});

playing("the end of entry says so, and leaves the focus in the view", async (stage) => {
  const context = await stage.context();
  await context.clock.install();
  const page = await stage.page({ context });
  await moveIn(page);
  const show = await createShow();
  await openShow(page, show);
  await page.getByText("Nobody is in yet. Be the first!").waitFor();
  const enter = page.getByRole("button", { name: "Enter an animal" });
  await enter.focus();
  await context.clock.fastForward("49:00:00");
  await enter.waitFor({ state: "detached" });
  await waitForFocus(page, page.getByRole("heading", { level: 1, name: show.name }));
  await page.getByText("Nobody is in, and entry has closed.").waitFor();
});

playing("what became of a show elsewhere is on the board and the ranch", async (stage) => {
  const page = await stage.page();
  const me = await moveIn(page);
  const { client } = await comeIn(me);
  const [animal] = await client.animals();
  const show = await createShow({ fee: 0 });
  await openShow(page, show);
  await (await chooseAnimal(page, show, animal.name)).click();
  await messages(page).getByText(`${animal.name} is entered`).waitFor();
  await client.judge(show.id);
  await page.evaluate(() => (location.hash = "#/shows?status=completed"));
  const ticket = page.getByRole("list", { name: "Shows" }).getByRole("article", { name: show.name });
  await ticket.getByText("a prize of 100 gold waits").waitFor();
  await client.claim(show.id);
  await goTo(page, "Ranch");
  const own = page.getByRole("region", { name: "Your shows" }).getByRole("listitem").filter({ hasText: show.name });
  await own.waitFor();
  await own.getByText("a prize of 100 gold waits").waitFor({ state: "detached" });
});
