// Films the loop for README (UPDATE_SCREENSHOTS=1 make test-browser): a guest comes, enters a show, calls the judges,
// and claims the prize. Chromium takes and encodes the frames, so the film needs no other program.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { another, comeIn, createShow, newcomer, ranchctl, unique } from "./scene.mjs";
import { board, gold, podium, ranch, welcome } from "./hands.mjs";
import { root } from "./service.mjs";
import { playing } from "./stage.mjs";
import { animation } from "./webp.mjs";

const size = { width: 880, height: 580 }; // from 576 px on, the bar stays in sight
const most = 1_000_000; // bytes; docs/pages_test.go checks the size, too
const tick = 100; // ms from frame to frame
const still = 1400; // the longest time without a change, in ms, however slow the machine is

playing("the film of the loop", async (stage) => {
  const context = await stage.context({ viewport: size, reducedMotion: "no-preference", colorScheme: "light" });
  await context.addInitScript(() => {
    const calm = new CSSStyleSheet(); // the windmill and fading views would take most of the bytes
    calm.replaceSync(".sails, .view, .dialog[open], .bones span { animation: none !important }");
    document.adoptedStyleSheets = [calm];
  });
  const page = await stage.page({ context });
  const show = await createShow({ name: "Harvest Ribbon Fair", fee: 25, closesIn: "4m" });
  for (const [username, animal] of [["juniper", "Bessie"], ["hazel", "Buck"]]) {
    const rival = await another({ ...newcomer(), username: unique(username).replace(" ", "-") });
    const entered = rival.animals.find(({ name }) => name === animal);
    await ranchctl("animal", "set", entered.id, "--user", rival.user.id, "--condition", "0");
    await rival.client.enter(show.id, entered.id);
  }

  const film = await Film.of(page);
  await welcome(page).waitFor();
  await film.hold(900);
  await film.click(welcome(page));
  const keys = page.getByRole("dialog", { name: "Your guest ranch" });
  const [email, password] = [await keys.getByLabel("E-mail").inputValue(), await keys.getByLabel("Password").inputValue()];
  const guest = await comeIn({ email, password });
  const star = (await guest.client.animals()).find(({ name }) => name === "Millie");
  await ranchctl("animal", "set", star.id, "--user", guest.account.id, "--condition", "100"); // so that it wins
  await film.hold(900);
  await film.click(keys.getByRole("button", { name: "Start playing" }));
  await ranch(page).waitFor();
  await film.show(page.getByRole("article", { name: star.name, exact: true }));
  await film.hold(900);
  await film.click(page.getByRole("navigation", { name: "Game" }).getByRole("link", { name: "Shows" }));
  await board(page).waitFor();
  const ticket = page.getByRole("list", { name: "Shows" }).getByRole("link", { name: show.name });
  await film.show(ticket);
  await film.hold(700);
  await film.click(ticket);
  await film.click(page.getByRole("button", { name: "Enter an animal" }));
  const entering = page.getByRole("dialog", { name: "Enter an animal" });
  await film.click(entering.getByRole("radio", { name: star.name }));
  await film.hold(500);
  await film.click(entering.getByRole("button", { name: `Enter ${star.name} for 25 gold` }));
  await gold(page, 475).waitFor();
  await film.hold(700);
  await film.click(page.getByRole("button", { name: "Judge this show" }));
  await film.click(page.getByRole("dialog", { name: "Judge this show?" }).getByRole("button", { name: "Judge now" }));
  await podium(page).waitFor();
  await film.hold(3400);
  const claim = page.getByRole("button", { name: "Claim prize" });
  await film.show(claim);
  await film.click(claim);
  await gold(page, 575).waitFor();
  await film.hold(1500);

  const { frames, marks } = await film.end();
  const studio = await (await stage.context()).newPage();
  const shown = timeline(frames, marks);
  console.log(`${frames.length} frames taken, ${shown.length} shown, ${shown.reduce((sum, { duration }) => sum + duration, 0) / 1000} s`);
  for (const quality of [0.75, 0.6, 0.45, 0.3]) {
    const content = await animation(studio, size, shown, quality);
    console.log(`the film at quality ${quality}: ${content.length} bytes`);
    if (content.length > most) continue;
    return writeFile(join(root, "docs/images/loop.webp"), content);
  }
  assert.fail(`the film has more than ${most} bytes`);
});

/** Follows the painted frames of a page, and the pointer, which is not in them. */
class Film {
  frames = []; // { at: ms, png: base64 }
  marks = []; // { at: ms, x, y, pressed }
  place = { x: size.width * 0.6, y: size.height * 0.75 };

  static async of(page) {
    const film = new Film();
    film.page = page;
    film.devtools = await page.context().newCDPSession(page);
    film.devtools.on("Page.screencastFrame", ({ data, sessionId }) => {
      film.frames.push({ at: performance.now(), png: data });
      void film.devtools.send("Page.screencastFrameAck", { sessionId }).catch(() => {});
    });
    await film.devtools.send("Page.startScreencast", { format: "png", everyNthFrame: 1 });
    film.mark(false);
    return film;
  }

  mark(pressed) {
    this.marks.push({ at: performance.now(), ...this.place, pressed });
  }

  hold = (ms) => this.page.waitForTimeout(ms);

  async show(place) {
    await place.evaluate((element) => element.scrollIntoView({ block: "center" }));
    await this.hold(500);
  }

  /** Moves the pointer to an element, and presses. */
  async click(place) {
    await place.waitFor();
    await place.scrollIntoViewIfNeeded();
    const box = await place.boundingBox();
    const [from, to] = [this.place, { x: box.x + box.width / 2, y: box.y + box.height / 2 }];
    for (let step = 1; step <= 8; step++) {
      const part = (1 - Math.cos((step / 8) * Math.PI)) / 2;
      this.place = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
      this.mark(false);
      await this.page.mouse.move(this.place.x, this.place.y);
      await this.hold(45);
    }
    this.mark(true);
    await place.click();
    await this.hold(200);
    this.mark(false);
  }

  async end() {
    await this.devtools.send("Page.stopScreencast");
    return this;
  }
}

/** Makes the film's frames, one a tick. Equal ones become one frame, which lasts no longer than still. */
function timeline(frames, marks) {
  const last = (list, at) => list.findLast((one) => one.at <= at) ?? list[0];
  const shown = [];
  const [start, end] = [frames[0].at, performance.now()];
  for (let at = start; at < Math.max(end, frames.at(-1).at); at += tick) {
    const [{ png }, mark] = [last(frames, at), last(marks, at)];
    const before = shown.at(-1);
    if (before?.png === png && before.mark === mark) before.duration = Math.min(before.duration + tick, still);
    else shown.push({ png, mark, duration: tick });
  }
  shown.at(-1).duration = 2 * still; // before the film starts again
  return shown;
}
