// The network between the page and the API fails, and comes back.
import assert from "node:assert/strict";
import { comeIn, createShow, goldOf } from "./scene.mjs";
import { chooseAnimal, connection, gold, goTo, judge, messages, moveIn, openShow, podium, ranch, board } from "./hands.mjs";
import { playing } from "./stage.mjs";

/** Makes a new player whose page reaches the API through a proxy. */
async function throughProxy(stage) {
  const proxy = await stage.proxy();
  const page = await stage.page({ to: proxy.url });
  const me = await moveIn(page);
  const { client } = await comeIn(me);
  const [animal] = await client.animals();
  return { proxy, page, me, client, animal };
}

async function until(isSo) {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 50)); // the test itself has a time limit
}

const sent = (proxy, method, path) => proxy.seen.filter((r) => r.method === method && path.test(r.path));

playing("the service goes away and comes back: the session stays, and play goes on", async (stage) => {
  const { proxy, page, me, animal } = await throughProxy(stage);
  const show = await createShow({ fee: 30 });
  proxy.goAway();
  await goTo(page, "Shows");
  await connection(page).waitFor();
  await page.getByRole("button", { name: "Log out" }).waitFor();
  await page.reload();
  await connection(page).waitFor();
  await page.getByRole("button", { name: "Log out" }).waitFor(); // the session is still there
  const tries = connection(page).getByRole("button", { name: "Try now" });
  await tries.click();
  await connection(page).waitFor();

  proxy.comeBack();
  const hidden = connection(page).waitFor({ state: "hidden" });
  await Promise.any([tries.click(), hidden]); // the page also tries by itself, which may be earlier
  await hidden;
  await goTo(page, "Ranch");
  await ranch(page).waitFor();
  await page.getByRole("article", { name: animal.name, exact: true }).waitFor();
  await goTo(page, "Shows");
  await board(page).waitFor();
  await page.getByRole("list", { name: "Shows" }).getByRole("link", { name: show.name }).click();
  await (await chooseAnimal(page, show, animal.name)).click();
  await messages(page).getByText(`${animal.name} is entered`).waitFor();
  assert.equal(await goldOf(me), 470);
});

playing("an entry whose answer is lost is entered, for one fee", async (stage) => {
  const { proxy, page, me, client, animal } = await throughProxy(stage);
  const show = await createShow({ fee: 25 });
  await openShow(page, show, proxy.url);
  proxy.lose("POST", /\/enter$/);
  await (await chooseAnimal(page, show, animal.name)).click();
  await gold(page, 475).waitFor();
  await messages(page).getByText(`${animal.name} is entered`).waitFor();
  assert.deepEqual(sent(proxy, "POST", /\/enter$/).map((r) => [r.status, r.lost]), [[201, true], [409, false]]);
  assert.equal(await goldOf(me), 475);
  assert.equal((await client.show(show.id)).entries.length, 1);
  await page.reload();
  await gold(page, 475).waitFor();
});

playing("an entry is among one's own shows, also where the show cannot be read after it", async (stage) => {
  const page = await stage.page();
  const me = await moveIn(page);
  const [animal] = await (await comeIn(me)).client.animals();
  const show = await createShow({ fee: 25 });
  await openShow(page, show);
  const enter = await chooseAnimal(page, show, animal.name);
  await page.route(`**/events/shows/${show.id}/entries`, (route) => route.abort());
  await enter.click();
  await gold(page, 475).waitFor();
  await goTo(page, "Ranch");
  await page.getByRole("region", { name: "Your shows" }).getByRole("link", { name: show.name }).waitFor();
});

playing("a judging and a claim whose answers are lost are done, once", async (stage) => {
  const { proxy, page, me, client, animal } = await throughProxy(stage);
  const show = await createShow({ fee: 0 });
  await client.enter(show.id, animal.id);
  await openShow(page, show, proxy.url);
  proxy.lose("POST", /\/judge$/);
  await judge(page);
  await podium(page).getByText(animal.name).first().waitFor();
  proxy.lose("POST", /\/claim-reward$/);
  await page.getByRole("button", { name: "Claim prize" }).click();
  await gold(page, 600).waitFor();
  assert.equal(sent(proxy, "POST", /\/claim-reward$/).length, 2);
  assert.equal(await goldOf(me), 600);
});

playing("what stays unknown is said to be unknown, and what to do", async (stage) => {
  const { proxy, page, me, client, animal } = await throughProxy(stage);
  const show = await createShow({ fee: 25 });
  await openShow(page, show, proxy.url);
  const enter = await chooseAnimal(page, show, animal.name);
  proxy.lose("POST", /\/enter$/, Infinity);
  proxy.lose("GET", /\/me\/entries/, Infinity);
  await enter.click();
  await page.getByRole("alert").getByText("it is not certain that your animal is entered").waitFor();
  await page.getByRole("alert").getByText("entering again cannot charge twice").waitFor();
  await gold(page, 475).waitFor(); // the gold is read in any case, whatever the page knows about the entry

  proxy.behave();
  await page.reload();
  await page.getByRole("list", { name: "Entries" }).getByText(animal.name).first().waitFor();
  await gold(page, 475).waitFor();
  assert.equal(await goldOf(me), 475);
  assert.equal((await client.show(show.id)).entries.length, 1);
});

playing("a service that answers some questions alone is away until the view's own is answered", async (stage) => {
  const { proxy, page } = await throughProxy(stage);
  const show = await createShow({ fee: 25 });
  const asked = () => sent(proxy, "GET", /\/events\/shows\/[^/]+\/entries/).length;
  proxy.answer("GET", /\/events\/shows\/[^/]+\/entries/, 503, { message: "Service Unavailable" });
  await page.evaluate((id) => (location.hash = `#/shows/${id}`), show.id);
  await connection(page).waitFor();
  await page.evaluate(() => {
    globalThis.comings = 0;
    new MutationObserver(() => globalThis.comings++).observe(document.getElementById("connection"), { childList: true });
  });
  for (let tries = 1; tries <= 2; tries++) {
    const before = asked();
    await connection(page).getByRole("button", { name: "Try now" }).click();
    await until(() => asked() > before + 1);
  }
  assert.equal(await page.evaluate(() => globalThis.comings), 0, "it comes and goes");
  proxy.behave();
  await page.evaluate(() => document.querySelector("#connection button")?.click()); // in case it has not come back by itself
  await connection(page).waitFor({ state: "hidden" });
  await page.getByRole("heading", { level: 1, name: show.name }).waitFor();
});

playing("what cannot be done while the service is away says so, and promises nothing", async (stage) => {
  const { proxy, page } = await throughProxy(stage);
  const show = await createShow({ fee: 25 });
  await openShow(page, show, proxy.url);
  proxy.goAway();
  await page.getByRole("button", { name: "Enter an animal" }).click();
  await page.getByRole("alert").getByText("Nothing was changed: try again when it is back.").waitFor();
});
