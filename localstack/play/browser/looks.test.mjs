// A new result is in sight, a choice is visible in every look, messages are announced. The bar never covers the focus.
import assert from "node:assert/strict";
import { another, comeIn, createShow, ranchctl } from "./scene.mjs";
import { connection, goTo, gold, judge, logIn, messages, moveIn, openShow, podium, ranch, welcome } from "./hands.mjs";
import { playing, withoutSession } from "./stage.mjs";

/** The edges of the first element of a selector, in the window. */
const edges = (page, selector) => page.locator(selector).first().evaluate((element) => element.getBoundingClientRect().toJSON());

playing("a judging brings the podium and the claim into sight, clear of the bar and of the message", async (stage) => {
  const page = await stage.page();
  const { client } = await comeIn(await moveIn(page));
  const [animal] = await client.animals();
  for (const size of [{ width: 1280, height: 720 }, { width: 360, height: 640 }]) {
    const show = await createShow({ fee: 0 });
    await client.enter(show.id, animal.id);
    await page.setViewportSize(size);
    await openShow(page, show);
    await judge(page);
    await messages(page).getByText(`Your ${animal.name} is first!`).waitFor();
    const claim = page.getByRole("button", { name: "Claim prize" });
    const [message, heading, button] = [await edges(page, "#messages"), await edges(page, "#verdict"), await claim.evaluate((e) => e.getBoundingClientRect().toJSON())];
    const said = JSON.stringify({ size, message, heading, button });
    assert.ok(message.top >= 0 && heading.top >= message.bottom && button.bottom <= size.height, `the message, the verdict and the claim are not in sight: ${said}`);
    assert.equal(await messages(page).locator("p").count(), 1);
    assert.equal(await page.locator(".podium .step").count(), 3, "the podium of one entrant is not empty");
  }
});

playing("a message covers no control, and goes when the player closes it or opens another view", async (stage) => {
  const page = await stage.page({ viewport: { width: 360, height: 640 } });
  await moveIn(page);
  await goTo(page, "Shows");
  await page.getByRole("list", { name: "Shows" }).getByRole("article").first().waitFor();
  const close = page.getByRole("button", { name: "Close the message" });
  const read = async () => (await gold(page, 500).dispatchEvent("click"), await messages(page).getByText("You have 500 gold.").waitFor());
  for (const top of [0, 900]) {
    await page.evaluate((y) => scrollTo(0, y), top);
    const clickable = () => page.evaluate(() => [...document.querySelectorAll("main a, main button")].filter((e) => {
      const { left, right, top, bottom } = e.getBoundingClientRect();
      return bottom > 0 && e.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
    }).map((e) => e.textContent));
    const before = await clickable();
    await read();
    assert.ok((await clickable()).includes(before[0]), `the message covers ${before[0]}`);
    await close.dispatchEvent("click"); // Playwright's click would scroll first
    await close.waitFor({ state: "detached" });
  }
  await read();
  await goTo(page, "Ranch");
  await close.waitFor({ state: "detached" });
});

playing("an error comes into sight", async (stage) => {
  const page = await stage.page({ viewport: { width: 360, height: 640 } });
  await page.getByRole("button", { name: "Create ranch" }).click();
  const alert = page.getByRole("form", { name: "Create a ranch" }).getByRole("alert");
  await alert.waitFor();
  const { top, bottom } = await alert.evaluate((e) => e.getBoundingClientRect().toJSON());
  assert.ok(top >= 0 && bottom <= 640, `the error is at ${top} to ${bottom}`);
});

playing("the judges of an empty show are called with a warning", async (stage) => {
  const page = await stage.page();
  await moveIn(page);
  const show = await createShow();
  await openShow(page, show);
  await page.getByRole("button", { name: "Judge this show" }).click();
  await page.getByRole("dialog", { name: "Judge this show?" }).getByText(`Nobody is in ${show.name} yet.`).waitFor();
});

playing("what is chosen is to be seen in the system's own colours", async (stage) => {
  const page = await stage.page({ forcedColors: "active" });
  // With forced colours, the painted colour differs from the style's, except in elements that keep theirs.
  const ground = (element) => element.evaluate((e) => (getComputedStyle(e).forcedColorAdjust === "none" ? getComputedStyle(e).backgroundColor : "the system's"));
  const tabs = page.getByRole("tab");
  assert.notEqual(await ground(tabs.nth(0)), await ground(tabs.nth(1)));
  await moveIn(page);
  await goTo(page, "Shows");
  for (const [name, chosen, other] of [["Game", "Shows", "Ranch"], ["Tier", "All tiers", "Elite"], ["Status", "Open", "Judged"]]) {
    const link = (label) => page.getByRole("navigation", { name }).getByRole("link", { name: label });
    await link(other).waitFor();
    assert.notEqual(await ground(link(chosen)), await ground(link(other)), name);
  }
});

playing("on the smallest phone the focus is never beneath the bar, whichever way it goes", async (stage) => {
  const page = await stage.page({ viewport: { width: 320, height: 640 } });
  await moveIn(page);
  await goTo(page, "Shows");
  await page.getByRole("list", { name: "Shows" }).getByRole("article").first().waitFor();
  await page.getByRole("list", { name: "Shows" }).getByRole("link").last().focus();
  let below = 0;
  for (;;) {
    const place = await page.evaluate(() => {
      const bar = document.querySelector(".bar");
      const element = document.activeElement;
      if (element.closest("main") === null) return null;
      return { name: element.textContent, top: element.getBoundingClientRect().top, bar: bar.getBoundingClientRect().bottom };
    });
    if (place === null) break;
    below++;
    assert.ok(place.top >= place.bar, `the focus is beneath the bar: ${JSON.stringify(place)}`);
    await page.keyboard.press("Shift+Tab");
  }
  assert.ok(below > 10, `there were ${below} stops`);
});

playing("messages are seen and heard while a dialog is open, and so is what was copied", async (stage) => {
  const context = await stage.context({ permissions: ["clipboard-read", "clipboard-write"] });
  const page = await stage.page({ context });
  await welcome(page).click();
  const dialog = page.getByRole("dialog", { name: "Your guest ranch" });
  await dialog.getByRole("button", { name: "Copy E-mail" }).click();
  await dialog.getByRole("status").getByText("E-mail copied").waitFor();
  await dialog.getByRole("button", { name: "Copied E-mail" }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, await dialog.getByRole("textbox", { name: "E-mail" }).inputValue());
  await context.setOffline(true);
  await page.locator(".connection").waitFor();
  await context.setOffline(false);
  await messages(dialog).getByText("The fair is back.").waitFor();
  await dialog.getByRole("button", { name: "Start playing" }).click();
  await dialog.waitFor({ state: "detached" });
  await messages(page).waitFor({ state: "attached" });
});

playing("while the service is away, one alert says so; and a log-out says that it was not told", async (stage) => {
  const proxy = await stage.proxy();
  const page = await stage.page({ to: proxy.url });
  await moveIn(page);
  await goTo(page, "Shows");
  await page.getByRole("list", { name: "Shows" }).getByRole("article").first().waitFor();
  proxy.goAway();
  await goTo(page, "Ranch");
  await ranch(page).waitFor();
  await connection(page).waitFor();
  await page.waitForFunction(() => document.querySelector("[aria-busy]") === null, null, { polling: 50 });
  assert.equal(await page.getByRole("alert").count(), 1);
  await page.getByRole("button", { name: "Log out" }).click();
  await welcome(page).waitFor();
  await messages(page).getByText("The fair could not be told").waitFor();
  await connection(page).getByText("This page keeps trying.").waitFor();
  assert.equal(await page.getByText("You stay logged in").count(), 0);
});

playing("the theme can be changed where nothing can be kept", async (stage) => {
  const context = await stage.context({ colorScheme: "light" });
  await context.addInitScript(() => {
    for (const name of ["getItem", "setItem"]) Storage.prototype[name] = () => { throw new DOMException("no", "SecurityError"); };
  });
  const page = await stage.page({ context });
  await page.getByRole("button", { name: "Dark theme" }).click();
  await page.getByRole("button", { name: "Light theme" }).click();
  await page.getByRole("button", { name: "Dark theme" }).waitFor();
});

playing("a large number of gold stays in one line, also in large text", async (stage) => {
  const rich = await another();
  await ranchctl("gold", "adjust", rich.user.id, "1234067", "--force=large", "--reason", "a large number");
  const page = await stage.page();
  await logIn(page, rich.registration);
  await gold(page, "1,234,567").waitFor();
  for (const [width, text] of [[1280, "100%"], [640, "100%"], [360, "100%"], [360, "200%"]]) {
    await page.setViewportSize({ width, height: 800 });
    await page.evaluate((size) => (document.documentElement.style.fontSize = size), text);
    for (const place of [".purse-amount", ".stat-value"]) {
      const rects = await page.locator(place).first().evaluate((element) => {
        const range = document.createRange();
        range.selectNodeContents(element.lastChild);
        return [...range.getClientRects()].map((rect) => rect.toJSON());
      });
      assert.equal(rects.length, 1, `${place} at ${width} px with text of ${text}: ${JSON.stringify(rects)}`);
    }
  }
});

playing("on a phone each row of filters is one row, and the chosen one is in sight", async (stage) => {
  const page = await stage.page({ viewport: { width: 360, height: 780 } });
  await moveIn(page);
  await goTo(page, "Shows");
  const tiers = page.getByRole("navigation", { name: "Tier" });
  await tiers.getByRole("link", { name: "Exhibition" }).waitFor();
  for (const row of [tiers, page.getByRole("navigation", { name: "Status" })]) {
    const tops = await row.getByRole("link").evaluateAll((links) => links.map((link) => Math.round(link.getBoundingClientRect().top)));
    assert.equal(new Set(tops).size, 1, `${tops}`);
  }
  await tiers.getByRole("link", { name: "Exhibition" }).click();
  const chosen = tiers.locator("[aria-current]", { hasText: "Exhibition" });
  await chosen.waitFor();
  const [{ left, right }, focused] = await chosen.evaluate((link) => [link.getBoundingClientRect().toJSON(), link === document.activeElement]);
  assert.ok(focused && left >= 0 && right <= 360, `it is at ${left} to ${right}, focused: ${focused}`);
});

playing("a guest who returns sees two buttons apart", async (stage) => {
  const page = await stage.page();
  await welcome(page).click();
  await page.getByRole("button", { name: "Start playing" }).click();
  await ranch(page).waitFor();
  const left = await stage.page({ context: await stage.context({ storageState: await withoutSession(page) }) });
  const back = await left.getByRole("button", { name: /^Play on as / }).boundingBox();
  const anew = await left.getByRole("button", { name: "Play as a new guest" }).boundingBox();
  assert.ok(anew.y - (back.y + back.height) >= 8, `${JSON.stringify({ back, anew })}`);
});
