// axe-core finds nothing on any view, in any look (inspect.mjs).
import { comeIn, createShow } from "./scene.mjs";
import { board, chooseAnimal, connection, gold, goTo, judge, moveIn, openShow, podium } from "./hands.mjs";
import { inspect } from "./inspect.mjs";
import { playing } from "./stage.mjs";

playing("the welcome and the ranch", async (stage) => {
  const page = await stage.page();
  await page.getByRole("button", { name: "Play as a guest" }).waitFor();
  await inspect(page, "the welcome");
  await page.getByRole("tab", { name: "I have a ranch" }).click();
  await page.getByRole("form", { name: "Log in" }).getByRole("button", { name: "Log in" }).click();
  await page.getByRole("alert").first().waitFor();
  await inspect(page, "the log-in with an error");
  await page.getByRole("button", { name: "Play as a guest" }).click();
  await page.getByRole("dialog", { name: "Your guest ranch" }).waitFor();
  await inspect(page, "the guest's dialog");
  await page.getByRole("button", { name: "Start playing" }).click();
  await page.getByRole("article").first().waitFor();
  await page.getByRole("button", { name: /^All traits of / }).first().click();
  await page.getByRole("table").waitFor();
  await inspect(page, "the ranch with a table of traits");
});

playing("the shows, a show, its dialogs and its podium", async (stage) => {
  const page = await stage.page();
  const me = await moveIn(page);
  await goTo(page, "Shows");
  await page.getByRole("list", { name: "Shows" }).getByRole("article").first().waitFor();
  await inspect(page, "the shows");
  const show = await createShow({ fee: 25 });
  await openShow(page, show);
  await inspect(page, "an open show");
  await page.getByRole("button", { name: "Judge this show" }).click();
  await page.getByRole("dialog", { name: "Judge this show?" }).waitFor();
  await inspect(page, "the dialog before a judging");
  await page.keyboard.press("Escape");
  const [animal] = await (await comeIn(me)).client.animals();
  await page.getByRole("button", { name: "Enter an animal" }).click();
  await page.getByRole("dialog", { name: "Enter an animal" }).waitFor();
  await inspect(page, "the dialog for entering");
  await page.keyboard.press("Escape");
  await (await chooseAnimal(page, show, animal.name)).click();
  await gold(page, 475).waitFor();
  await judge(page);
  await podium(page).waitFor();
  await inspect(page, "a judged show");
  await page.getByRole("button", { name: "Claim prize" }).click();
  await gold(page, 575).click();
  await page.getByRole("region", { name: "Gold changes" }).waitFor();
  await inspect(page, "the changes of gold");
});

playing("an empty board, a page that is not there, and a service that is away", async (stage) => {
  const proxy = await stage.proxy();
  const page = await stage.page({ to: proxy.url });
  await moveIn(page);
  proxy.answer("GET", /\/events\/shows(\?|$)/, 200, []);
  await goTo(page, "Shows");
  await board(page).waitFor();
  await page.getByRole("main").getByText(/no show/i).first().waitFor();
  await inspect(page, "an empty board");
  await page.evaluate(() => (location.hash = "#/nowhere"));
  await page.getByRole("main").getByRole("link").first().waitFor();
  await inspect(page, "no such page");
  proxy.goAway();
  await goTo(page, "Shows");
  await connection(page).waitFor();
  await inspect(page, "the service away");
});
