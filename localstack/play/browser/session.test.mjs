// A player stays logged in, in all tabs and after an access token expires, until a log-out or the service's refusal.
import assert from "node:assert/strict";
import { comeIn, createShow, ranchctl } from "./scene.mjs";
import { board, chooseAnimal, connection, gold, goTo, holdBack, judge, logIn, messages, moveIn, openShow, ranch, welcome } from "./hands.mjs";
import { api, address, playing } from "./stage.mjs";

const lifetime = "15:00"; // of an access token, in the form of clock.fastForward

/** Lets the token expire while no request is under way, since a request would time out. */
async function endToken(context) {
  for (const page of context.pages()) {
    await page.waitForFunction(() => !document.querySelector("main [aria-busy]"));
  }
  await context.clock.fastForward(lifetime);
}

/**
 * Returns a function that waits for an element on a page with the test's clock, and skips the page's pauses. The clock
 * stands still while a request is under way, since the request would time out.
 */
function impatient(page) {
  let under = 0;
  page.on("request", () => under++);
  for (const end of ["requestfinished", "requestfailed"]) page.on(end, () => under--);
  return async (locator) => {
    while (!(await locator.isVisible())) { // the test itself has a time limit
      if (under === 0) await page.clock.runFor(500);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
}

/** Returns a list that collects the statuses of the answers to the refreshes of a context's pages. */
function countRefreshes(context) {
  const answers = [];
  context.on("response", (response) => {
    const request = response.request();
    if (request.method() === "POST" && request.url() === `${api}/auth/refresh`) answers.push(response.status());
  });
  return answers;
}

playing("an access token that ends is renewed once, and the player notices nothing", async (stage) => {
  const context = await stage.context();
  await context.clock.install();
  const refreshes = countRefreshes(context);
  const page = await stage.page({ context });
  await moveIn(page);
  assert.deepEqual(refreshes, []);
  await endToken(context);
  await goTo(page, "Shows");
  await page.getByRole("list", { name: "Shows" }).getByRole("article").first().waitFor();
  await goTo(page, "Ranch");
  await ranch(page).waitFor();
  await page.getByRole("article").first().waitFor();
  assert.deepEqual(refreshes, [200]);
  assert.equal(await page.getByRole("alert").filter({ hasText: /\S/ }).count(), 0);
  await gold(page, 500).waitFor();
});

playing("a reload after the token's end asks for one new token, whatever the view needs", async (stage) => {
  const context = await stage.context();
  await context.clock.install();
  const refreshes = countRefreshes(context);
  const page = await stage.page({ context });
  await moveIn(page);
  await endToken(context);
  await page.reload();
  await page.getByRole("article").first().waitFor();
  assert.deepEqual(refreshes, [200]);
});

playing("two tabs renew the token once between them", async (stage) => {
  const context = await stage.context();
  await context.clock.install();
  const refreshes = countRefreshes(context);
  const first = await stage.page({ context });
  await moveIn(first);
  const second = await stage.page({ context, view: "#/shows" });
  await board(second).waitFor();
  await second.getByRole("list", { name: "Shows" }).getByRole("article").first().waitFor();
  await endToken(context);
  await Promise.all([goTo(first, "Shows"), goTo(second, "Ranch")]);
  await first.getByRole("list", { name: "Shows" }).getByRole("article").first().waitFor();
  await second.getByRole("article").first().waitFor();
  assert.deepEqual(refreshes, [200]);
});

playing("a log-out in one tab ends the other", async (stage) => {
  const context = await stage.context();
  const first = await stage.page({ context });
  const me = await moveIn(first);
  const second = await stage.page({ context, view: "#/shows" });
  await board(second).waitFor();
  const record = first.waitForResponse(`${api}/auth/logout`);
  await first.getByRole("button", { name: "Log out" }).click();
  await welcome(first).waitFor();
  await welcome(second).waitFor();
  assert.equal((await record).status(), 200);
  assert.equal(await second.evaluate(() => Object.values(localStorage).some((v) => v.includes("refreshToken"))), false);

  await logIn(second, me);
  await second.getByRole("button", { name: "Log out" }).waitFor();
  await first.getByRole("button", { name: "Log out" }).waitFor(); // the other tab is logged in, too
});

playing("a session that is revoked ends with the token, and says so", async (stage) => {
  const context = await stage.context();
  await context.clock.install();
  const page = await stage.page({ context });
  const me = await moveIn(page);
  await ranchctl("user", "revoke-sessions", me.username);
  await goTo(page, "Shows"); // the access token is valid until its end
  await page.getByRole("list", { name: "Shows" }).getByRole("article").first().waitFor();
  await endToken(context);
  await page.evaluate(() => (location.hash = "#/ranch")); // whether or not the page has asked by itself meanwhile
  await welcome(page).waitFor();
  await messages(page).getByText("Please log in again").waitFor();
  await logIn(page, me);
  await ranch(page).waitFor();
});

for (const [what, status, body] of [
  ["is away", 503, { message: "Service Unavailable" }],
  ["doubts the token", 401, { error: "INVALID_TOKEN", message: "Invalid refresh token" }],
]) {
  playing(`a log-in that cannot be checked is said to be that: the service ${what}`, async (stage) => {
    const proxy = await stage.proxy();
    const context = await stage.context({ to: proxy.url });
    await context.clock.install();
    const page = await stage.page({ context, to: proxy.url });
    const appears = impatient(page);
    const me = await moveIn(page);
    await page.getByRole("article").first().waitFor();
    proxy.answer("POST", /\/auth\/refresh$/, status, body);
    await endToken(context);
    await page.reload();
    await appears(connection(page).getByText("We cannot check your log-in right now."));
    assert.equal(await page.getByRole("alert").count(), 1);
    await page.getByRole("button", { name: "Log out" }).waitFor(); // the page is still logged in
    await connection(page).getByRole("button", { name: "Retry" }).click();
    await connection(page).getByText("We cannot check your log-in right now.").waitFor();
    proxy.behave();
    await page.evaluate(() => document.querySelector("#connection button")?.click()); // in case it has not come back by itself
    await appears(page.getByRole("article").first());
    await connection(page).waitFor({ state: "hidden" });

    proxy.answer("POST", /\/auth\/refresh$/, status, body);
    await endToken(context);
    await goTo(page, "Shows");
    await appears(connection(page).getByRole("button", { name: "Log in" }));
    await connection(page).getByRole("button", { name: "Log in" }).click();
    await welcome(page).waitFor();
    assert.equal(await connection(page).count(), 0);
    await logIn(page, me);
    await board(page).waitFor(); // the view that the player had
    await page.getByRole("list", { name: "Shows" }).getByRole("article").first().waitFor();
  });
}

playing("what one tab pays, the other knows", async (stage) => {
  const context = await stage.context();
  const first = await stage.page({ context });
  const me = await moveIn(first);
  const second = await stage.page({ context, view: "#/ranch" });
  await gold(second, 500).waitFor();
  const show = await createShow({ fee: 40 });
  const [animal] = await (await comeIn(me)).client.animals();
  await openShow(first, show);
  await (await chooseAnimal(first, show, animal.name)).click();
  await gold(first, 460).waitFor();
  await gold(second, 460).waitFor();
});

playing("whoever is not logged in is led to the welcome, and on to where they wanted to go", async (stage) => {
  const show = await createShow();
  const page = await stage.page();
  const me = await moveIn(page);
  const elsewhere = await stage.page({ view: `#/shows/${show.id}` }); // in a context of its own
  await welcome(elsewhere).waitFor();
  await logIn(elsewhere, me);
  await elsewhere.getByRole("heading", { level: 1, name: show.name }).waitFor();
  await elsewhere.goto(address("#/nowhere"));
  await elsewhere.getByRole("main").getByRole("link").first().waitFor();
});

playing("a judging that comes back to nobody says that it was done", async (stage) => {
  const context = await stage.context();
  const page = await stage.page({ context });
  const { client } = await comeIn(await moveIn(page));
  const [animal] = await client.animals();
  const show = await createShow({ fee: 0 });
  await client.enter(show.id, animal.id);
  await openShow(page, show);
  const other = await stage.page({ context, view: "#/shows" });
  const { letGo } = await holdBack(page, `**/events/shows/${show.id}/judge`);
  const answered = page.waitForResponse(/\/judge$/);
  await judge(page);
  await other.getByRole("button", { name: "Log out" }).click();
  await welcome(page).waitFor();
  await letGo();
  await answered;
  await messages(page).getByText(`${show.name} is judged.`).waitFor();
  assert.equal(await page.getByText("Something went wrong").count(), 0);
});

playing("a session that has vanished from the storage is none, and nobody is stuck", async (stage) => {
  const page = await stage.page();
  const me = await moveIn(page);
  const vanish = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("ranch.session")).forEach((key) => localStorage.removeItem(key)));
  await vanish();
  await page.getByRole("button", { name: "Log out" }).click();
  await welcome(page).waitFor();
  await logIn(page, me);
  await ranch(page).waitFor();
  await vanish();
  await goTo(page, "Shows");
  await welcome(page).waitFor();
});
