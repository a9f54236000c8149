// The gold on the page is the player's, or the page says that it may be another: whatever other devices do, and whatever
// answers are lost.
import assert from "node:assert/strict";
import { chooseAnimal, gold, goTo, judge, logIn, messages, moveIn, openShow, podium, ranch } from "./hands.mjs";
import { comeIn, createShow, goldOf, ranchctl } from "./scene.mjs";
import { playing } from "./stage.mjs";

const changes = (page) => page.getByRole("region", { name: "Gold changes" });
const unsure = (page) => changes(page).getByText("As far as this device knows");

/** A new player, on the page and beside it. */
async function player(page) {
  const me = await moveIn(page);
  const { client } = await comeIn(me);
  const [animal] = await client.animals();
  return { me, client, animal };
}

/** Looks into the purse: what is in it, and whether the page is sure of it. */
async function looksSure(page, amount) {
  await gold(page, amount).click();
  await changes(page).waitFor();
  const sure = (await unsure(page).count()) === 0;
  await page.keyboard.press("Escape");
  return sure;
}

async function enter(page, show, animal) {
  await (await chooseAnimal(page, show, animal.name)).click();
  await messages(page).getByText(`${animal.name} is entered in ${show.name}`).waitFor();
}

playing("a show of one's own that is cancelled gives its fee back, once", async (stage) => {
  const page = await stage.page();
  const { me, animal } = await player(page);
  const show = await createShow({ fee: 40 });
  await openShow(page, show);
  await enter(page, show, animal);
  await gold(page, 460).waitFor();
  await ranchctl("show", "cancel", show.id, "--reason", "rain");
  await goTo(page, "Ranch");
  await gold(page, 500).waitFor();
  await openShow(page, show);
  await page.getByText("Entry was to close").waitFor();
  assert.ok(await looksSure(page, 500));
  assert.equal(await goldOf(me), 500);
});

playing("a fee of before the log-in that comes back is not reckoned with certainty", async (stage) => {
  const page = await stage.page();
  const { me, animal } = await player(page);
  const show = await createShow({ fee: 40 });
  await openShow(page, show);
  await enter(page, show, animal);
  await page.getByRole("button", { name: "Log out" }).click();
  await logIn(page, me);
  await ranch(page).waitFor();
  assert.ok(await looksSure(page, 460));
  await ranchctl("show", "cancel", show.id, "--reason", "rain");
  await openShow(page, show);
  await page.getByText("Entry was to close").waitFor();
  assert.equal(await looksSure(page, 460), false);
  await page.getByRole("button", { name: "Log out" }).click(); // after which it is told, and nothing is added to it
  await logIn(page, me);
  await gold(page, 500).waitFor();
  await openShow(page, show);
  await page.getByText("Entry was to close").waitFor();
  assert.ok(await looksSure(page, 500));
});

playing("an entry and a claim on another device make the purse unsure", async (stage) => {
  const page = await stage.page();
  const { client, animal } = await player(page);
  const [entered, claimed] = [await createShow({ fee: 40 }), await createShow({ fee: 0 })];
  await openShow(page, claimed);
  await enter(page, claimed, animal);
  await judge(page);
  await podium(page).waitFor();
  assert.ok(await looksSure(page, 500));
  await client.claim(claimed.id);
  await goTo(page, "Ranch");
  await openShow(page, claimed);
  await page.getByText("Your prize is claimed.").waitFor();
  assert.equal(await looksSure(page, 500), false);

  const second = await stage.page();
  const another = await player(second);
  await another.client.enter(entered.id, another.animal.id);
  assert.ok(await looksSure(second, 500));
  await openShow(second, entered);
  await second.getByRole("list", { name: "Entries" }).getByText("yours").first().waitFor();
  assert.equal(await looksSure(second, 500), false);
});

playing("an entry whose answer was lost for good is booked when it is entered again, and one fee is", async (stage) => {
  const proxy = await stage.proxy();
  const page = await stage.page({ to: proxy.url });
  const { me, animal } = await player(page);
  const show = await createShow({ fee: 25 });
  await openShow(page, show, proxy.url);
  const press = await chooseAnimal(page, show, animal.name);
  proxy.lose("POST", /\/enter$/, Infinity);
  proxy.lose("GET", /\/events\/shows\/[^/]+$/, Infinity);
  await press.click();
  await page.getByRole("alert").getByText("it is not certain that your animal is entered").waitFor();
  proxy.behave();
  await press.click();
  await messages(page).getByText(`${animal.name} is entered in ${show.name}`).waitFor();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  assert.ok(await looksSure(page, 475));
  await page.reload();
  await gold(page, 475).click();
  assert.equal(await changes(page).getByText("−25", { exact: true }).count(), 1);
  assert.equal(await goldOf(me), 475);
});

playing("a claim whose answer was lost for good is booked when it is seen", async (stage) => {
  const proxy = await stage.proxy();
  const page = await stage.page({ to: proxy.url });
  const { me, animal } = await player(page);
  const show = await createShow({ fee: 0 });
  await openShow(page, show, proxy.url);
  await enter(page, show, animal);
  await judge(page);
  await podium(page).waitFor();
  proxy.lose("POST", /\/claim-reward$/, Infinity);
  proxy.lose("GET", /\/events\/shows\/[^/]+$/, Infinity);
  const claim = page.getByRole("button", { name: "Claim prize" });
  await claim.click();
  await page.getByRole("alert").getByText("it is not certain that your prize was paid").waitFor();
  assert.equal(await looksSure(page, 500), false);
  proxy.behave();
  await claim.click();
  await messages(page).getByText("your prize of 100 gold is yours").waitFor();
  await claim.waitFor({ state: "detached" });
  assert.ok(await looksSure(page, 600));
  assert.equal(await goldOf(me), 600);
});

playing("an entry of another device that is entered again is refused, and the purse is unsure", async (stage) => {
  const page = await stage.page();
  const { client, animal } = await player(page);
  const show = await createShow({ fee: 25 });
  await openShow(page, show);
  const press = await chooseAnimal(page, show, animal.name);
  await client.enter(show.id, animal.id);
  await press.click();
  await messages(page).getByText("This animal is in the show already.").waitFor();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  assert.equal(await looksSure(page, 500), false);
  await page.getByRole("button", { name: "Enter an animal" }).click();
  assert.ok(await page.getByRole("dialog").getByRole("radio", { name: animal.name }).isDisabled());
});
