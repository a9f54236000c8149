// Takes the pictures of the pages in docs (UPDATE_SCREENSHOTS=1 make test-browser). A person must look at the pictures:
// TestPictures (docs/pages_test.go) only checks their sizes.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { another, comeIn, createShow, newcomer, ranchctl } from "./scene.mjs";
import { board, chooseAnimal, gold, goTo, judge, moveIn, openShow, podium, ranch } from "./hands.mjs";
import { root } from "./service.mjs";
import { playing } from "./stage.mjs";

const folder = join(root, "docs/images");
const wide = { width: 1280, height: 800 };
const tall = { width: 1280, height: 1420 };
const phone = { width: 360, height: 780 };

const named = (animals, name) => animals.find((animal) => animal.name === name);
const somebody = (username, ranchName) => ({ ...newcomer(), username, ranchName });

playing("pictures of the ranch, the shows and a podium", async (stage) => {
  const context = await stage.context({ viewport: wide });
  await context.clock.install();
  const page = await stage.page({ context });
  const me = await moveIn(page, somebody("willow", "Sunny Acres"));
  const { client } = await comeIn(me);
  const animals = await client.animals();
  const star = named(animals, "Millie");
  const second = named(animals, "Bessie");

  await ranchctl("animal", "set", star.id, "--user", "willow", "--condition", "100"); // so that it wins

  const show = await createShow({ name: "Midsummer Meadow Fair", fee: 25 });
  for (const [username, name] of [["juniper", "Bessie"], ["hazel", "Buck"]]) {
    const rival = await another(somebody(username, "Brook End"));
    const animal = named(rival.animals, name);
    await ranchctl("animal", "set", animal.id, "--user", rival.user.id, "--condition", "0");
    await rival.client.enter(show.id, animal.id);
  }
  const prelude = await createShow({ name: "Lantern Evening", fee: 10 });
  await openShow(page, prelude);
  await (await chooseAnimal(page, prelude, second.name)).click();
  await gold(page, 490).waitFor();
  await openShow(page, show);
  await (await chooseAnimal(page, show, star.name)).click();
  await gold(page, 465).waitFor();
  await judge(page);
  await podium(page).waitFor();

  await take(page, "podium-1280-light", wide, "light", podium(page));
  await take(page, "podium-360-dark", phone, "dark", podium(page));

  await goTo(page, "Ranch");
  await ranch(page).waitFor();
  await page.getByRole("article", { name: star.name }).waitFor();
  await take(page, "ranch-1280-light", tall, "light");
  await take(page, "ranch-1280-dark", tall, "dark");
  await take(page, "ranch-360-light", phone, "light", page.getByRole("article", { name: star.name }));

  await goTo(page, "Shows");
  await board(page).waitFor();
  await page.getByRole("list", { name: "Shows" }).getByRole("article").first().waitFor();
  await take(page, "shows-1280-light", wide, "light");
  await take(page, "shows-360-dark", phone, "dark");
});

/** Takes a picture of the visible part, from the top or around an element. */
async function take(page, name, size, colorScheme, place) {
  await page.clock.fastForward("00:15"); // messages disappear meanwhile
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme });
  await page.mouse.move(0, 0);
  if (place) await place.evaluate((element) => element.scrollIntoView({ block: "center" }));
  else await page.evaluate(() => scrollTo(0, 0));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.png`), await page.screenshot({ caret: "hide", animations: "disabled" }));
}
