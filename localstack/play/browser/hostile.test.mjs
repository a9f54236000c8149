// Hostile names: the page shows them as they are written, and they do nothing. The stage fails a test for a request
// elsewhere, a dialog, an error or a violation of the policy.
import assert from "node:assert/strict";
import { createShow, newcomer, unique } from "./scene.mjs";
import { chooseAnimal, goTo, gold, judge, moveIn, openShow, podium, ranch } from "./hands.mjs";
import { api, playing } from "./stage.mjs";

const hostile = {
  "an image that asks elsewhere": `<img src=http://127.0.0.1:9/x onerror=alert(1)>`,
  "a script": `"><script>fetch('http://127.0.0.1:9/x')</script>`,
  "a style and a link": `</h1><style>*{display:none}</style><a href=javascript:alert(1)>`,
  "an entity and quotes": `&lt;b&gt; ' " \` \${alert(1)} {{7*7}}`,
  "right to left, with an override": `\u202Eגבר עולם\u202C مزرعة`,
  "signs of joined people": `👩‍👩‍👧‍👦🏳️‍🌈🐄`,
  "a hundred wide letters": "W".repeat(100),
  "a hundred small ones in words": "moo ".repeat(25).trim(),
};

playing("a ranch's hostile name is a name", async (stage) => {
  for (const what of ["an image that asks elsewhere", "right to left, with an override", "a hundred wide letters"]) {
    const name = hostile[what];
    const page = await stage.page();
    await moveIn(page, { ...newcomer(), ranchName: name });
    await wants(page, name, what);
    await noSidewaysScrolling(page, what);
    await page.context().close();
  }
});

playing("a show's hostile name is a name, in every view that has it", async (stage) => {
  const page = await stage.page({ viewport: { width: 360, height: 740 } });
  await moveIn(page);
  for (const [what, ending] of Object.entries(hostile)) {
    const printable = ending.replace(/\p{Cf}/gu, ""); // operators cannot use other characters
    const name = [...`${unique("")} ${printable}`.trim()].slice(0, 100).join("");
    const show = await createShow({ name, fee: 0 });
    await goTo(page, "Shows");
    const link = page.getByRole("list", { name: "Shows" }).getByRole("link", { name });
    await link.waitFor();
    await noSidewaysScrolling(page, `the board with ${what}`);
    await link.click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    assert.ok((await page.title()).includes(show.name.slice(0, 9)), what);
    await noSidewaysScrolling(page, `the show with ${what}`);
  }
});

// The service names animals, and allows only letters in usernames. Here a stand-in returns other names.
playing("hostile animals and players are names, too, to the podium", async (stage) => {
  const names = Object.values(hostile);
  const context = await stage.context({ viewport: { width: 360, height: 740 } });
  const rename = (value) => JSON.parse(JSON.stringify(value, (key, v) => (key === "breed" || key === "playerUsername" ? names[0] : v)));
  const originals = [];
  await context.route(`${api}/animals`, async (route) => {
    const answer = await route.fetch();
    const animals = await answer.json();
    originals.splice(0, Infinity, ...animals.map((a) => a.name));
    await route.fulfill({ response: answer, json: rename(animals.map((a, i) => ({ ...a, name: names[i] }))) });
  });
  const renamed = (entries) => entries.map((e) => ({ ...e, animalName: names[originals.indexOf(e.animalName)] ?? e.animalName }));
  await context.route(new RegExp(`^${api}/(me|events/shows/[^/]+)/entries`), async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: renamed(rename(await answer.json())) });
  });
  const page = await stage.page({ context });
  await moveIn(page);
  for (const name of names.slice(0, originals.length)) {
    const card = page.getByRole("article", { name, exact: true });
    await card.waitFor();
    await card.getByRole("button", { name: `All traits of ${name}` }).click();
    await page.getByRole("table", { name: `Traits of ${name}` }).waitFor();
  }
  await noSidewaysScrolling(page, "the ranch");
  const show = await createShow({ fee: 10 });
  await openShow(page, show);
  await (await chooseAnimal(page, show, names[1])).click();
  await gold(page, 490).waitFor();
  await judge(page);
  await podium(page).getByText(names[1]).first().waitFor();
  await podium(page).getByText(names[0]).first().waitFor(); // the player's own animal
  await noSidewaysScrolling(page, "the podium");
  await goTo(page, "Ranch");
  await ranch(page).waitFor();
});

async function wants(page, text, what) {
  const main = page.getByRole("main");
  await main.getByText(text.trim()).first().waitFor();
  const inside = await main.evaluate((element) => element.querySelectorAll("script, style, img, [onerror], [href^='javascript']").length);
  assert.equal(inside, 0, `${what} has become markup`);
}

async function noSidewaysScrolling(page, what) {
  const [wide, seen] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(wide <= seen, `${what}: the page is ${wide} px wide in ${seen}`);
}
