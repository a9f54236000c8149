// The purse shows the gold that the service returned, whatever other devices do and whatever answers are lost. If the
// service does not return the gold, the purse shows the last value as not current.
import assert from "node:assert/strict";
import { chooseAnimal, gold, goTo, judge, messages, moveIn, openShow, podium, ranch } from "./hands.mjs";
import { comeIn, createShow, goldOf, ranchctl } from "./scene.mjs";
import { playing } from "./stage.mjs";

/** Makes a new player, on the page and beside it. */
async function player(page) {
  const me = await moveIn(page);
  const { client } = await comeIn(me);
  const [animal] = await client.animals();
  return { me, client, animal };
}

async function enter(page, show, animal) {
  await (await chooseAnimal(page, show, animal.name)).click();
  await messages(page).getByText(`${animal.name} is entered in ${show.name}`).waitFor();
}

playing("a show of one's own that is cancelled gives its fee back", async (stage) => {
  const page = await stage.page();
  const { me, animal } = await player(page);
  const show = await createShow({ fee: 40 });
  await openShow(page, show);
  await enter(page, show, animal);
  await gold(page, 460).waitFor();
  await ranchctl("show", "cancel", show.id, "--reason", "rain", "--force=entries");
  await goTo(page, "Ranch");
  await page.getByRole("list", { name: "Your shows" }).getByText(`${animal.name}: cancelled, the fee is back`).waitFor();
  await gold(page, 500).waitFor();
  await openShow(page, show);
  await page.getByText("This show was cancelled, and your fee is back in your purse.").waitFor();
  assert.equal(await goldOf(me), 500);
});

playing("what another device pays and wins is in the purse when it is asked, or the page comes back", async (stage) => {
  const page = await stage.page();
  const { client, animal } = await player(page);
  const show = await createShow({ fee: 40 });
  await client.enter(show.id, animal.id);
  await gold(page, 500).click();
  await gold(page, 460).waitFor();
  await messages(page).getByText("You have 460 gold.").waitFor();
  await client.judge(show.id);
  await client.claim(show.id);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await gold(page, 560).waitFor();
});

playing("an entry whose answer was lost for good is found when it is entered again, and one fee is paid", async (stage) => {
  const proxy = await stage.proxy();
  const page = await stage.page({ to: proxy.url });
  const { me, animal } = await player(page);
  const show = await createShow({ fee: 25 });
  await openShow(page, show, proxy.url);
  const press = await chooseAnimal(page, show, animal.name);
  proxy.lose("POST", /\/enter$/, Infinity);
  proxy.lose("GET", /\/me\/entries/, Infinity);
  await press.click();
  await page.getByRole("alert").getByText("it is not certain that your animal is entered").waitFor();
  proxy.behave();
  await press.click();
  await messages(page).getByText(`The connection broke, but ${animal.name} is entered in ${show.name}. The fee was paid once.`).waitFor();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await page.getByRole("list", { name: "Entries" }).getByText("yours").waitFor();
  await gold(page, 475).waitFor();
  assert.equal(await goldOf(me), 475);
});

playing("a claim whose answer was lost for good is found when it is claimed again, and paid once", async (stage) => {
  const proxy = await stage.proxy();
  const page = await stage.page({ to: proxy.url });
  const { me, animal } = await player(page);
  const show = await createShow({ fee: 0 });
  await openShow(page, show, proxy.url);
  await enter(page, show, animal);
  await judge(page);
  await podium(page).waitFor();
  const keepTheShow = () => proxy.answer("GET", /\/events\/shows\/[^/]+\/entries/, 503, { message: "Service Unavailable" }); // otherwise it would show the claim by itself
  keepTheShow();
  proxy.lose("POST", /\/claim-reward$/, Infinity);
  proxy.lose("GET", /\/me\/entries/, Infinity);
  const claim = page.getByRole("button", { name: "Claim prize" });
  await claim.click();
  await page.getByRole("alert").getByText("it is not certain that your prize was paid").waitFor();
  await gold(page, 600).waitFor();
  proxy.behave();
  keepTheShow();
  await claim.click();
  await messages(page).getByText("The connection broke, but your prize of 100 gold is yours.").waitFor();
  proxy.behave();
  await page.evaluate(() => document.querySelector("#connection button")?.click()); // in case it has not come back by itself
  await claim.waitFor({ state: "detached" });
  await page.getByText("Your prize is claimed.").waitFor();
  assert.equal(await goldOf(me), 600);
});

playing("an entry of another device that is entered again is refused, and the purse has its fee", async (stage) => {
  const page = await stage.page();
  const { client, animal } = await player(page);
  const show = await createShow({ fee: 25 });
  await openShow(page, show);
  const press = await chooseAnimal(page, show, animal.name);
  await client.enter(show.id, animal.id);
  await press.click();
  await messages(page).getByText("This animal is in the show already.").waitFor();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await gold(page, 475).waitFor();
  // The page reads the show's entries again, which may take longer than the purse. The test itself has a time limit.
  for (let entered = false; !entered; ) {
    await page.getByRole("button", { name: "Enter an animal" }).click();
    entered = await page.getByRole("dialog").getByRole("radio", { name: animal.name }).isDisabled();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  }
});

playing("a purse that cannot be asked shows what it was, as not current, until it can", async (stage) => {
  const proxy = await stage.proxy();
  const page = await stage.page({ to: proxy.url });
  const { me, animal } = await player(page);
  const show = await createShow({ fee: 25 });
  await openShow(page, show, proxy.url);
  proxy.answer("GET", /\/me$/, 500, { error: "INTERNAL_ERROR" });
  await enter(page, show, animal);
  await gold(page, "500, not current").waitFor();
  await gold(page, "500, not current").click();
  await messages(page).getByText("The fair does not say just now how much gold you have.").waitFor();
  await page.getByRole("button", { name: "Enter an animal" }).click();
  await page.getByRole("dialog").getByText("The fair has not answered; before, you had 500 gold").waitFor();
  await page.keyboard.press("Escape");
  await goTo(page, "Ranch");
  await ranch(page).waitFor();
  await page.getByRole("main").getByText("not current: the fair has not answered").waitFor();
  proxy.behave();
  await gold(page, "500, not current").click();
  await gold(page, 475).waitFor();
  assert.equal(await goldOf(me), 475);
});
