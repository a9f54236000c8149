// The whole loop by mouse. A client beside the page asks the service, and the test compares the page with its answers.
import assert from "node:assert/strict";
import { comeIn, createShow, goldOf, newcomer, ranchctl, unique } from "./scene.mjs";
import { board, chooseAnimal, goTo, gold, judge, logIn, messages, moveIn, podium, ranch, welcome } from "./hands.mjs";
import { playing } from "./stage.mjs";

playing("a player registers, enters, judges, claims, and has a season score", async (stage) => {
  const show = await createShow({ name: unique("Meadow Fair"), fee: 25 });
  const page = await stage.page({ reducedMotion: "no-preference" });
  const me = await moveIn(page, newcomer());
  const { client, account } = await comeIn(me);
  const animals = await client.animals();

  await gold(page, 500).waitFor();
  for (const animal of animals) {
    const card = page.getByRole("article", { name: animal.name, exact: true });
    await card.getByRole("img", { name: `Traits of ${animal.name}:` }).waitFor();
    await card.getByRole("button", { name: `All traits of ${animal.name}` }).click();
    await page.getByRole("table", { name: `Traits of ${animal.name}` }).waitFor();
  }
  assert.equal(await page.getByRole("article").count(), animals.length);

  await goTo(page, "Shows");
  await board(page).waitFor();
  await page.getByRole("navigation", { name: "Tier" }).getByRole("link", { name: "Rookie" }).click();
  await page.getByRole("list", { name: "Shows" }).getByRole("link", { name: show.name }).click();
  await page.getByRole("heading", { level: 1, name: show.name }).waitFor();

  const mine = animals[0];
  const enter = await chooseAnimal(page, show, mine.name);
  await page.getByRole("dialog", { name: "Enter an animal" }).getByText("475").first().waitFor();
  await enter.click();
  await gold(page, 475).waitFor();
  await messages(page).getByText(`${mine.name} is entered`).waitFor();
  await page.getByRole("list", { name: "Entries" }).getByText(mine.name).first().waitFor();
  assert.equal(await goldOf(me), 475);
  assert.deepEqual((await client.show(show.id)).entries.map((e) => [e.animalId, e.playerId]), [[mine.id, account.id]]);

  await judge(page);
  await podium(page).getByText(mine.name).first().waitFor();
  const judged = await client.show(show.id);
  assert.deepEqual([judged.status, judged.entries.length, judged.entries[0].rank], ["completed", 1, 1]);

  await page.getByRole("button", { name: "Claim prize" }).click();
  await gold(page, 575).waitFor();
  await page.getByRole("button", { name: "Claim prize" }).waitFor({ state: "detached" });
  assert.equal(await goldOf(me), 575);

  await goTo(page, "Ranch");
  await ranch(page).waitFor();
  assert.equal((await client.season()).mySeasonScore, 100);
  await page.getByRole("main").getByText(/season/i).first().waitFor();
  await page.getByRole("main").getByText("100", { exact: true }).first().waitFor();
  await page.getByRole("main").getByText(show.name).first().waitFor();
});

playing("a guest plays at once, and is told how to come back", async (stage) => {
  const page = await stage.page();
  await page.getByRole("button", { name: "Play as a guest" }).click();
  const dialog = page.getByRole("dialog", { name: "Your guest ranch" });
  const email = await dialog.getByRole("textbox", { name: "E-mail" }).inputValue();
  const password = await dialog.getByRole("textbox", { name: "Password" }).inputValue();
  await dialog.getByText("this browser keeps them in its storage").waitFor();
  assert.ok((await page.evaluate(() => JSON.stringify(localStorage))).includes(password), "that is where it is");
  await dialog.getByRole("button", { name: "Start playing" }).click();
  await ranch(page).waitFor();
  assert.equal(await goldOf({ email, password }), 500);

  await page.reload();
  await page.getByRole("button", { name: "Show my keys" }).click();
  assert.equal(await dialog.getByRole("textbox", { name: "Password" }).inputValue(), password);
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Log out" }).click();
  const sure = page.getByRole("dialog", { name: "Leave your guest ranch?" });
  assert.equal(await sure.getByRole("textbox", { name: "E-mail" }).inputValue(), email);
  await sure.getByRole("button", { name: "Stay" }).click();
  await sure.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Log out" }).click();
  await sure.getByRole("button", { name: "I have them: log out" }).click();
  await welcome(page).waitFor();
  assert.ok(!(await page.evaluate(() => JSON.stringify(localStorage))).includes(password), "the device has forgotten it");
  await logIn(page, { email, password });
  await ranch(page).waitFor();
});

/** Plays as a guest, and ends the session outside the page: the keys stay. */
async function guestWithoutSession(page, start) {
  await start.click();
  const dialog = page.getByRole("dialog", { name: "Your guest ranch" });
  const email = await dialog.getByRole("textbox", { name: "E-mail" }).inputValue();
  await dialog.getByRole("button", { name: "Start playing" }).click();
  await page.evaluate(() => localStorage.removeItem(Object.keys(localStorage).find((key) => key.startsWith("ranch.session"))));
  await page.reload();
  return email;
}

playing("a guest whose session has ended plays on at the same ranch, or as a new guest beside it", async (stage) => {
  const page = await stage.page();
  const first = await guestWithoutSession(page, welcome(page));
  const second = await guestWithoutSession(page, page.getByRole("button", { name: "Play as a new guest" }));
  for (const email of [second, first]) {
    await page.getByRole("button", { name: `Play on as ${email.split("@")[0]}` }).click();
    await ranch(page).waitFor();
    await page.getByRole("main").getByText(new RegExp(email.split("@")[0], "i")).first().waitFor();
    await page.evaluate(() => localStorage.removeItem(Object.keys(localStorage).find((key) => key.startsWith("ranch.session"))));
    await page.reload();
  }
});

playing("a guest whose ranch no longer exists is told so, and the device forgets the keys", async (stage) => {
  const page = await stage.page();
  const email = await guestWithoutSession(page, welcome(page));
  const name = email.split("@")[0];
  await ranchctl("user", "delete", email, "--yes", "--force=deletion", "--reason", "a test");
  await page.getByRole("button", { name: `Play on as ${name}` }).click();
  await page.getByRole("alert").getByText("no longer exists").waitFor();
  await welcome(page).waitFor();
  assert.ok(!(await page.evaluate(() => JSON.stringify(localStorage))).includes(email), "the device has forgotten the keys");
  await welcome(page).click();
  await page.getByRole("dialog", { name: "Your guest ranch" }).waitFor();
});

playing("a reload and the way back lead where a player was", async (stage) => {
  const show = await createShow();
  const page = await stage.page();
  await moveIn(page);
  await goTo(page, "Shows");
  await page.getByRole("list", { name: "Shows" }).getByRole("link", { name: show.name }).click();
  await page.getByRole("heading", { level: 1, name: show.name }).waitFor();
  await page.reload();
  await page.getByRole("heading", { level: 1, name: show.name }).waitFor();
  await page.goBack();
  await board(page).waitFor();
  await page.goBack();
  await ranch(page).waitFor();
});
