// The page shows a sentence for each error. It refuses much itself before it sends a request. So an operator, or the same
// player elsewhere, changes the records between the choice and the press.
import assert from "node:assert/strict";
import { another, comeIn, createShow, newcomer, ranchctl } from "./scene.mjs";
import { chooseAnimal, fillIn, gold, judge, logIn, messages, moveIn, openShow, podium, welcome } from "./hands.mjs";
import { playing } from "./stage.mjs";

const alert = (page, text) => page.getByRole("alert").getByText(text).first();

// The hidden change, and the page's sentence.
const entering = {
  "the gold is gone": [({ me }) => ranchctl("gold", "adjust", me.username, "-490", "--reason", "a bill"), "not enough gold"],
  "the show is cancelled": [({ show }) => ranchctl("show", "cancel", show.id, "--reason", "rain", "--force=entries"), "Entry to this show has closed. Nothing was paid."],
  "the animal is entered elsewhere": [({ client, show, animal }) => client.enter(show.id, animal.id), "This animal is in the show already."],
  "the animal is a calf": [({ me, animal }) => ranchctl("animal", "set", animal.id, "--user", me.username, "--stage", "calf"), "Calves are too young for shows. Nothing was paid."],
  "the animal is pregnant": [({ me, animal }) => ranchctl("animal", "set", animal.id, "--user", me.username, "--status", "pregnant"), "She is expecting a calf"],
  "the animal has died": [({ me, animal }) => ranchctl("animal", "set", animal.id, "--user", me.username, "--dead"), "not on your ranch, or has died"],
};

playing("entering says why not", async (stage) => {
  const page = await stage.page();
  const me = await moveIn(page);
  const { client } = await comeIn(me);
  for (const [what, [meanwhile, says]] of Object.entries(entering)) {
    if (what === "the show is cancelled") await ranchctl("gold", "adjust", me.username, "490", "--reason", "paid back");
    const [animal] = await client.animals();
    await ranchctl("animal", "set", animal.id, "--user", me.username, "--stage", "adult", "--status", "idle");
    const show = await createShow({ fee: 15 });
    await openShow(page, show);
    const enter = await chooseAnimal(page, show, animal.name);
    await meanwhile({ me, client, show, animal });
    await enter.click();
    await alert(page, says).or(messages(page).getByText(says)).first().waitFor();
    await page.keyboard.press("Escape");
  }
});

playing("judging and claiming say why not", async (stage) => {
  const page = await stage.page();
  const me = await moveIn(page);
  const { client } = await comeIn(me);
  const [animal] = await client.animals();
  const show = await createShow({ fee: 0 });
  await client.enter(show.id, animal.id);
  await openShow(page, show);
  await page.getByRole("button", { name: "Judge this show" }).click();
  await (await another()).client.judge(show.id);
  await page.getByRole("dialog", { name: "Judge this show?" }).getByRole("button", { name: "Judge now" }).click();
  const says = "This show is not open any more";
  await alert(page, says).or(messages(page).getByText(says)).first().waitFor();
  await page.keyboard.press("Escape");

  await openShow(page, show);
  await podium(page).waitFor();
  await client.claim(show.id);
  await page.getByRole("button", { name: "Claim prize" }).click();
  const claimed = "You have claimed this prize already.";
  await alert(page, claimed).or(messages(page).getByText(claimed)).first().waitFor();
});

playing("what cannot be entered is said beforehand", async (stage) => {
  const page = await stage.page();
  const me = await moveIn(page);
  const { client } = await comeIn(me);
  const [calf, mother, well] = await client.animals();
  await ranchctl("animal", "set", calf.id, "--user", me.username, "--stage", "calf");
  await ranchctl("animal", "set", mother.id, "--user", me.username, "--status", "pregnant");
  const show = await createShow({ fee: 600, tier: "elite" });
  await openShow(page, show);
  await page.getByRole("button", { name: "Enter an animal" }).click();
  const dialog = page.getByRole("dialog", { name: "Enter an animal" });
  for (const animal of [calf, mother]) assert.ok(await dialog.getByRole("radio", { name: animal.name }).isDisabled());
  await dialog.getByText("Is a calf still").waitFor();
  await dialog.getByText("Is expecting a calf").waitFor();
  await dialog.getByText("that is not enough").waitFor();
  assert.ok(await dialog.getByRole("button", { name: `Enter ${well.name} for 600 gold` }).isDisabled());
});

playing("a banned player is told, here and at the door", async (stage) => {
  const page = await stage.page();
  const me = await moveIn(page);
  const show = await createShow({ fee: 0 });
  const { client } = await comeIn(me);
  const [animal] = await client.animals();
  await openShow(page, show);
  const enter = await chooseAnimal(page, show, animal.name);
  await ranchctl("user", "ban", me.username, "--reason", "cheating");
  await enter.click();
  await welcome(page).waitFor();
  await messages(page).getByText("This account has been banned, or deleted: it cannot play any more.").waitFor();
  await logIn(page, me);
  await alert(page, "This account has been banned. It cannot log in any more.").waitFor();
});

playing("the door says what is wrong", async (stage) => {
  const { registration: taken } = await another();
  const page = await stage.page();
  await logIn(page, { email: taken.email, password: "another password" });
  await alert(page, "There is no account with this e-mail address and this password.").waitFor();
  await logIn(page, { email: "", password: "" });
  await alert(page, "Fill in your e-mail address and your password.").waitFor();

  await page.getByRole("tab", { name: "New ranch" }).click();
  const form = page.getByRole("form", { name: "Create a ranch" });
  const create = form.getByRole("button", { name: "Create ranch" });
  await fillIn(form, { ...newcomer(), username: taken.username });
  await create.click();
  await alert(page, "Somebody has this e-mail address or this username already.").waitFor();
  await fillIn(form, { email: "nowhere", username: "a b", password: "short", ranchName: "" });
  await create.click();
  for (const says of [
    "E-mail must be an address such as name@example.com",
    "Username may have only letters, digits, underscores and hyphens.",
    "Password must have 8 to 128 characters.",
    "Ranch name must have 3 to 100 characters.",
  ]) {
    await form.getByText(says).waitFor();
  }
  const email = form.getByRole("textbox", { name: "E-mail" });
  assert.equal(await email.getAttribute("aria-invalid"), "true");
  assert.ok(await email.evaluate((e) => e === document.activeElement), "the first field that is wrong has the focus");
});

playing("a crowded service and a broken one are said to be that", async (stage) => {
  const proxy = await stage.proxy();
  const page = await stage.page({ to: proxy.url });
  await moveIn(page);
  const show = await createShow({ fee: 0 });
  await openShow(page, show, proxy.url);
  for (const [status, body, says] of [
    [429, { message: "Too Many Requests" }, "The fair is crowded just now. Wait a moment, and try again."],
    [500, { error: "INTERNAL_ERROR", message: "Failed to judge show" }, "it is not certain that the show is judged"],
    [418, { what: "is this" }, "an answer that this page does not understand"],
  ]) {
    proxy.answer("POST", /\/judge$/, status, body);
    await judge(page);
    await alert(page, says).waitFor();
    await page.keyboard.press("Escape");
    proxy.behave();
  }
  await judge(page);
  await gold(page, 500).waitFor();
  await page.getByRole("button", { name: "Judge this show" }).waitFor({ state: "detached" });
});

playing("a show that is not there is said not to be there", async (stage) => {
  const page = await stage.page();
  await moveIn(page);
  for (const id of ["00000000-0000-4000-8000-000000000000", "constructor", "__proto__", "%"]) {
    await page.evaluate((id) => (location.hash = `#/shows/${id}`), id);
    await page.getByRole("heading", { level: 1, name: "A show" }).waitFor();
    await page.getByRole("main").getByText("There is no such show. It may have been taken off the board.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
    await page.evaluate(() => (location.hash = "#/shows/here/nowhere"));
    await page.getByRole("heading", { level: 1, name: "Off the road" }).waitFor();
  }
});
