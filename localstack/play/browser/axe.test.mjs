// axe-core finds no problem on any view, in any look (inspect.mjs).
import { comeIn, createShow, ranchctl } from "./scene.mjs";
import { board, chooseAnimal, connection, fillIn, gold, goTo, judge, messages, moveIn, openShow, podium, welcome } from "./hands.mjs";
import { inspect, someLooks } from "./inspect.mjs";
import { address, playing, withoutSession } from "./stage.mjs";

playing("the welcome and the ranch", async (stage) => {
  const page = await stage.page();
  await page.getByRole("button", { name: "Play as a guest" }).waitFor();
  await inspect(page, "the welcome");
  const create = page.getByRole("form", { name: "Create a ranch" });
  await fillIn(create, { email: "nowhere", username: "a b", password: "short", ranchName: "" });
  await create.getByRole("button", { name: "Create ranch" }).click();
  await page.getByRole("alert").first().waitFor();
  await inspect(page, "the registration with errors", someLooks);
  await page.getByRole("tab", { name: "I have a ranch" }).click();
  await page.getByRole("form", { name: "Log in" }).getByRole("button", { name: "Log in" }).click();
  await page.getByRole("alert").first().waitFor();
  await inspect(page, "the log-in with an error", someLooks);
  await page.getByRole("button", { name: "Play as a guest" }).click();
  await page.getByRole("dialog", { name: "Your guest ranch" }).waitFor();
  await inspect(page, "the guest's dialog", someLooks);
  await page.getByRole("button", { name: "Start playing" }).click();
  const left = await stage.page({ context: await stage.context({ storageState: await withoutSession(page) }) });
  await left.getByRole("button", { name: /^Play on as / }).waitFor();
  await inspect(left, "the welcome of a guest who returns", someLooks);
  await page.getByRole("article").first().waitFor();
  await page.getByRole("button", { name: /^All traits of / }).first().click();
  await page.getByRole("table").waitFor();
  await inspect(page, "the ranch with a table of traits");
  await page.getByRole("link", { name: "Keep this ranch" }).click();
  await page.getByRole("form", { name: "Keep this ranch" }).waitFor();
  await inspect(page, "a guest's account", someLooks);
  await page.getByRole("button", { name: "Delete this ranch" }).click();
  await page.getByRole("dialog", { name: "Delete this ranch?" }).waitFor();
  await inspect(page, "the dialog before a deletion", someLooks);
  await page.keyboard.press("Escape");
  await goTo(page, "Season");
  await page.getByRole("navigation", { name: "Seasons" }).waitFor();
  await inspect(page, "a season", someLooks);
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
  await inspect(page, "the dialog before a judging", someLooks);
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
  await messages(page).getByText("You have 575 gold.").waitFor();
  await inspect(page, "a claimed prize", someLooks);
});

playing("an empty board, a page that is not there, and a service that is away", async (stage) => {
  const proxy = await stage.proxy();
  const page = await stage.page({ to: proxy.url });
  await moveIn(page);
  proxy.answer("GET", /\/events\/shows(\?|$)/, 200, []);
  await goTo(page, "Shows");
  await board(page).waitFor();
  await page.getByRole("main").getByText(/no show/i).first().waitFor();
  await inspect(page, "an empty board", someLooks);
  await page.evaluate(() => (location.hash = "#/nowhere"));
  await page.getByRole("main").getByRole("link").first().waitFor();
  await inspect(page, "no such page", someLooks);
  proxy.goAway();
  await goTo(page, "Shows");
  await connection(page).waitFor();
  await inspect(page, "the service away", someLooks);
});

playing("what has gone another way: too little gold, other ends of a show, an unknown outcome, and the session's end", async (stage) => {
  const proxy = await stage.proxy();
  const context = await stage.context({ to: proxy.url });
  await context.clock.install();
  const page = await stage.page({ context, to: proxy.url });
  const me = await moveIn(page);
  const { client } = await comeIn(me);
  const [animal] = await client.animals();

  await openShow(page, await createShow({ tier: "elite", fee: 600 }), proxy.url);
  await page.getByRole("button", { name: "Enter an animal" }).click();
  await page.getByRole("dialog", { name: "Enter an animal" }).getByText("that is not enough").waitFor();
  await inspect(page, "the dialog with too little gold", someLooks);
  await page.keyboard.press("Escape");

  const cancelled = await createShow({ fee: 0 });
  await client.enter(cancelled.id, animal.id);
  await ranchctl("show", "cancel", cancelled.id, "--reason", "rain", "--force=entries");
  await openShow(page, cancelled, proxy.url);
  await page.getByText("This show was cancelled").waitFor();
  await inspect(page, "a cancelled show", someLooks);

  const closed = await createShow({ fee: 0 });
  proxy.answer("GET", new RegExp(`/${closed.id}$`), 200, { ...(await client.show(closed.id)), entryClosesAt: new Date(0) });
  await openShow(page, closed, proxy.url);
  await page.getByText("Nobody is in, and entry has closed.").waitFor();
  await inspect(page, "a show whose entry has closed", someLooks);

  const show = await createShow({ fee: 0 });
  await client.enter(show.id, animal.id);
  await openShow(page, show, proxy.url);
  proxy.answer("POST", /\/judge$/, 500, { error: "INTERNAL_ERROR", message: "Failed to judge show" });
  await judge(page);
  await page.getByRole("alert").getByText("it is not certain").waitFor();
  await inspect(page, "an unknown outcome", someLooks);
  proxy.behave();
  await client.judge(show.id);
  await page.reload();
  await podium(page).waitFor();
  await page.goto(address("#/shows?status=completed", proxy.url));
  await page.getByText("a prize of 100 gold waits").waitFor();
  await inspect(page, "the judged shows with an own one", someLooks);

  await ranchctl("user", "revoke-sessions", me.username);
  await context.clock.fastForward("15:00"); // the access token expires
  await goTo(page, "Ranch");
  await welcome(page).waitFor();
  await messages(page).getByText("Please log in again").waitFor();
  await inspect(page, "a session that has ended", someLooks);
});
