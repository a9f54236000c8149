// Before entering, a player sees what the judges look for and the animal that fits best; afterwards, why it got its
// rank.
import assert from "node:assert/strict";
import { favourites } from "../../../shared/client/typescript/dist/index.js";
import { board, gold, goTo, holdBack, judge, messages, moveIn, openShow, podium } from "./hands.mjs";
import { another, comeIn, createShow, ranchctl } from "./scene.mjs";
import { playing } from "./stage.mjs";

const labels = {
  weightScore: "weight",
  milkYieldScore: "milk yield",
  growthRateScore: "growth rate",
  temperamentScore: "temperament",
  coatQualityScore: "coat quality",
  fertilityScore: "fertility",
  hardinessScore: "hardiness",
  showPotentialScore: "show potential",
};

playing("tickets, shows and the choice say what the judges look for, and the result explains itself", async (stage) => {
  const page = await stage.page();
  const me = await moveIn(page);
  const { client } = await comeIn(me);
  const animals = await client.animals();
  const show = await createShow({ fee: 10 });
  const two = await favourites(show.id);
  const looks = `The judges look for ${two.map((trait) => labels[trait]).join(" and ")}.`;
  const sum = (animal) => two.reduce((total, trait) => total + animal.phenotype[trait], 0);
  const [best, ...others] = [...animals].sort((a, b) => sum(b) - sum(a));

  await goTo(page, "Shows");
  await board(page).waitFor();
  const ticket = page.getByRole("list", { name: "Shows" }).getByRole("article", { name: show.name });
  await ticket.getByText(looks).waitFor();
  await ticket.getByRole("link", { name: show.name }).click();
  await page.getByRole("region", { name: "Terms" }).getByText(looks).waitFor();

  await page.getByRole("button", { name: "Enter an animal" }).click();
  const dialog = page.getByRole("dialog", { name: "Enter an animal" });
  await dialog.getByText(looks).waitFor();
  const radio = (animal) => dialog.getByRole("radio", { name: animal.name });
  assert.ok(await radio(best).isChecked(), `${best.name} fits best`);
  const described = (animal) => radio(animal).evaluate((e) => e.getAttribute("aria-describedby").split(" ").map((id) => document.getElementById(id).textContent).join(" "));
  assert.match(await described(best), /Fits best/);
  for (const animal of others) assert.doesNotMatch(await described(animal), /Fits best/);
  for (const animal of animals) {
    const said = (await described(animal)).toLowerCase();
    for (const trait of two) assert.ok(said.includes(`${labels[trait]}${Math.round(animal.phenotype[trait])}`), said);
  }
  await dialog.getByRole("button", { name: `Enter ${best.name} for 10 gold` }).click();
  await gold(page, 490).waitFor();

  await judge(page);
  const traits = two.map((trait) => `${labels[trait]} ${Math.round(best.phenotype[trait])}`).join(" and ");
  await page.getByText(`Your ${best.name}, with ${traits}, scored`).waitFor();
  await page.getByText(`The judges looked for`).waitFor();
  await page.reload(); // the page has not loaded the animals after this
  await page.getByText(`Your ${best.name}, with ${traits}, scored`).waitFor();
});

playing("an animal in poor condition does not fit best, and one that may not enter is not offered", async (stage) => {
  const page = await stage.page();
  const me = await moveIn(page);
  const { client } = await comeIn(me);
  const show = await createShow({ fee: 0 });
  const two = await favourites(show.id);
  const sum = (animal) => two.reduce((total, trait) => total + animal.phenotype[trait], 0);
  const [first, second, third] = (await client.animals()).sort((a, b) => sum(b) - sum(a));
  await ranchctl("animal", "set", first.id, "--user", me.username, "--stage", "calf");
  await ranchctl("animal", "set", second.id, "--user", me.username, "--condition", "0");
  await openShow(page, show);
  await page.getByRole("button", { name: "Enter an animal" }).click();
  const dialog = page.getByRole("dialog", { name: "Enter an animal" });
  assert.ok(await dialog.getByRole("radio", { name: first.name }).isDisabled());
  const best = sum(third) * 0.94 > sum(second) * 0.7 ? third : second;
  assert.ok(await dialog.getByRole("radio", { name: best.name }).isChecked());
});

playing("a ticket names the best animal, or says that it is too dear, and a newcomer sees rookie shows first", async (stage) => {
  const page = await stage.page();
  const { client } = await comeIn(await moveIn(page));
  const [near, dear] = [await createShow({ fee: 10 }), await createShow({ tier: "pro", fee: 501, closesIn: "10m" })];
  const two = await favourites(near.id);
  const sum = ({ phenotype }) => two.reduce((total, trait) => total + phenotype[trait], 0);
  const [best] = (await client.animals()).sort((a, b) => sum(b) - sum(a));
  await goTo(page, "Shows");
  const tickets = page.getByRole("list", { name: "Shows" }).getByRole("article");
  const ticket = (show) => tickets.filter({ has: page.getByRole("link", { name: show.name }) });
  await ticket(near).getByText(`Your best for it: ${best.name}`).waitFor();
  await ticket(dear).getByText("Too dear for now: you have 500 gold.").waitFor();
  const isFirst = async (one, other) => {
    const names = await tickets.getByRole("link").allTextContents();
    return names.indexOf(one.name) < names.indexOf(other.name);
  };
  assert.ok(await isFirst(near, dear), "a rookie show comes first");
  await client.enter(near.id, best.id);
  await page.reload();
  await ticket(near).getByText(`Entered: ${best.name}`).waitFor();
  assert.ok(await isFirst(dear, near), "now the show that closes sooner comes first");
});

playing("Enter in the dialog of the judges judges nothing, and after a claim another show is offered", async (stage) => {
  const page = await stage.page();
  const { client } = await comeIn(await moveIn(page));
  const [animal] = await client.animals();
  const show = await createShow({ fee: 0 });
  await client.enter(show.id, animal.id);
  await openShow(page, show);
  await page.getByRole("button", { name: "Judge this show" }).click();
  const dialog = page.getByRole("dialog", { name: "Judge this show?" });
  await dialog.waitFor();
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  assert.equal((await client.show(show.id)).status, "open");
  await judge(page);
  await page.getByRole("button", { name: "Claim prize" }).click();
  await page.getByRole("region", { name: "How you did" }).getByRole("link", { name: /^Next: / }).click();
  await page.getByRole("button", { name: "Enter an animal" }).waitFor();
});

playing("the message after a judging waits for the podium", async (stage) => {
  const page = await stage.page({ reducedMotion: "no-preference" });
  const { client } = await comeIn(await moveIn(page));
  const [animal] = await client.animals();
  const show = await createShow({ fee: 0 });
  await client.enter(show.id, animal.id);
  const rival = await another();
  await rival.client.enter(show.id, rival.animals[0].id);
  await openShow(page, show);
  await page.evaluate(() => {
    const rising = () => document.querySelector(".podium")?.getAnimations({ subtree: true }).some((a) => a.playState === "running") ?? true;
    globalThis.early = [];
    new MutationObserver(() => rising() && globalThis.early.push(document.getElementById("messages").textContent)).observe(document.getElementById("messages"), { childList: true, subtree: true });
  });
  await judge(page);
  // On a busy machine the message may be gone when the podium is found, so the test waits for both at once.
  await Promise.all([podium(page).waitFor(), messages(page).getByText(`${show.name} is judged.`).waitFor()]);
  assert.deepEqual(await page.evaluate(() => globalThis.early.filter((text) => text !== "")), []);
});

playing("a show's name is known from its ticket while it loads", async (stage) => {
  const page = await stage.page();
  await moveIn(page);
  const show = await createShow();
  await goTo(page, "Shows");
  const link = page.getByRole("list", { name: "Shows" }).getByRole("link", { name: show.name });
  await link.waitFor();
  const { letGo } = await holdBack(page, `**/events/shows/${show.id}/entries`);
  await link.click();
  await page.getByRole("heading", { level: 1, name: show.name }).waitFor();
  assert.ok((await page.title()).startsWith(show.name));
  await page.getByText("Loading…").waitFor({ state: "attached" });
  await letGo();
  await page.getByRole("button", { name: "Enter an animal" }).waitFor();
});
