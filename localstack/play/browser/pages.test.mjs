// Lists that are longer than a page: the entries of a large show, one's own entries, and the board.
import assert from "node:assert/strict";
import { goTo, judge, messages, moveIn, openShow, podium, ranch } from "./hands.mjs";
import { tabTo } from "./keys.mjs";
import { comeIn, createShow, createShows, crowd, ranchctl } from "./scene.mjs";
import { address, api, playing } from "./stage.mjs";

/** Collects the paths of a page's reads of the API. */
function reads(page) {
  const paths = [];
  page.on("request", (request) => request.method() === "GET" && request.url().startsWith(api) && paths.push(request.url().slice(api.length)));
  return paths;
}

const entries = (page) => page.getByRole("list", { name: "Entries" }).getByRole("listitem");
const hasOwn = async (page) => (await entries(page).getByText("yours").count()) > 0;

playing("a show of 250 entries is read in pages, to the last, and from the player's place", async (stage) => {
  const page = await stage.page();
  const me = await moveIn(page);
  const { client } = await comeIn(me);
  const [animal] = await client.animals();
  const show = await createShow({ fee: 0 });
  await crowd(show, 249);
  const asked = reads(page);

  await openShow(page, show); // without an entry of the player or a list before: the page looks it up
  await page.getByText("249 animals").waitFor();
  assert.equal(await entries(page).count(), 50);

  await ranchctl("animal", "set", animal.id, "--user", me.username, "--condition", "0"); // so that it ranks far behind
  await client.enter(show.id, animal.id);
  await page.reload();
  await entries(page).first().waitFor();
  const more = page.getByRole("button", { name: "More entries" });
  for (let count = 50; count < 250; count += 50) {
    assert.equal(await entries(page).count(), count);
    await tabTo(page, more);
    await page.keyboard.press("Enter");
    await entries(page).nth(count).waitFor();
  }
  assert.equal(await entries(page).count(), 250);
  assert.equal(await more.count(), 0);
  assert.ok(await hasOwn(page));
  assert.ok(await page.evaluate(() => document.activeElement.matches("li")), "the focus is where the list has grown");

  await judge(page);
  await podium(page).waitFor();
  await messages(page).getByText(`${show.name} is judged.`).waitFor();
  const { rank } = (await client.ownEntries({ show: show.id })).items[0];
  await page.getByRole("region", { name: "How you did" }).getByText(`came ${rank}`).waitFor();
  assert.equal(await hasOwn(page), false);
  await tabTo(page, page.getByRole("button", { name: "Show my place" }));
  await page.keyboard.press("Enter");
  await entries(page).getByText("yours").waitFor();
  assert.ok(await page.evaluate(() => document.activeElement.textContent.includes("yours")), "the focus is on the player's entry");
  const before = await entries(page).count();
  await page.getByRole("button", { name: "Earlier entries" }).click();
  await entries(page).nth(before).waitFor();
  assert.ok(await hasOwn(page));
  await page.getByRole("button", { name: "Back to the first" }).click();
  await page.getByRole("button", { name: "Show my place" }).waitFor();
  assert.match(await entries(page).first().textContent(), /1st/);
  const whole = asked.filter((path) => path === `/events/shows/${show.id}`);
  assert.deepEqual(whole, [], "the page asked for the whole show");
});

playing("own entries beyond a page follow with a button, and one request brings each page", async (stage) => {
  const page = await stage.page();
  const { client } = await comeIn(await moveIn(page));
  const animals = await client.animals();
  const { tier } = await createShows(18);
  const shows = await client.shows({ tier });
  for (const show of shows) for (const animal of animals) await client.enter(show.id, animal.id);
  const asked = reads(page);
  await page.reload();
  await ranch(page).waitFor();
  const own = page.getByRole("list", { name: "Your shows" }).getByRole("listitem");
  await own.first().waitFor();
  assert.equal(await own.count(), 8);
  const more = page.getByRole("button", { name: "More of your shows" });
  while ((await more.count()) > 0) {
    await more.click();
    await page.getByRole("main").locator("[aria-disabled]").waitFor({ state: "detached" });
  }
  assert.equal(await own.count(), 18);
  const pages = asked.filter((path) => path.startsWith("/me/entries") && !path.includes("unclaimed=")); // without the badge
  assert.equal(pages.length, 2, pages.join());
  assert.equal(asked.filter((path) => /^\/events\/shows\/./.test(path)).length, 0, "a show was looked at");

  const other = await page.context().newPage();
  const askedByBoard = reads(other);
  await other.goto(address(`#/shows?tier=${tier}`));
  await other.getByRole("list", { name: "Shows" }).getByRole("article").last().getByText("Entered:").waitFor();
  assert.deepEqual(askedByBoard.filter((path) => !path.includes("unclaimed=")).map((path) => path.split("?")[0]).sort(), ["/animals", "/events/shows", "/me", "/me/entries"]);
});

playing("the board goes on beyond fifty shows", async (stage) => {
  const page = await stage.page();
  await moveIn(page);
  const { tier, names } = await createShows(53);
  await page.evaluate((tier) => (location.hash = `#/shows?tier=${tier}`), tier);
  const tickets = page.getByRole("list", { name: "Shows" }).getByRole("article");
  await tickets.nth(49).waitFor();
  assert.equal(await tickets.count(), 50);
  await tabTo(page, page.getByRole("button", { name: "More shows" }));
  await page.keyboard.press("Enter");
  await tickets.nth(52).waitFor();
  assert.deepEqual(await tickets.getByRole("heading").allTextContents(), names);
  assert.equal(await page.getByRole("button", { name: "More shows" }).count(), 0);
  await page.getByRole("link", { name: names[52] }).click();
  await page.getByRole("heading", { level: 1, name: names[52] }).waitFor();
  await goTo(page, "Ranch");
});
