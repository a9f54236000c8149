// The loop of loop.test.mjs without a mouse.
import assert from "node:assert/strict";
import { comeIn, createShow, newcomer, unique } from "./scene.mjs";
import { board, gold, messages, podium, ranch } from "./hands.mjs";
import { press, tabTo, type } from "./keys.mjs";
import { playing } from "./stage.mjs";

playing("the whole loop by keyboard alone", async (stage) => {
  const show = await createShow({ name: unique("Keyboard Cup"), fee: 10 });
  const page = await stage.page();
  const me = newcomer();

  const form = page.getByRole("form", { name: "Create a ranch" });
  await type(page, form.getByRole("textbox", { name: "E-mail" }), me.email);
  await type(page, form.getByRole("textbox", { name: "Username" }), me.username);
  await type(page, form.getByLabel("Password"), me.password);
  await type(page, form.getByRole("textbox", { name: "Ranch name" }), me.ranchName);
  await press(page, form.getByRole("button", { name: "Create ranch" }), "Enter", ranch(page));
  assert.ok(await ranch(page).evaluate((e) => e === document.activeElement), "a new view has the focus on its heading");

  const { client } = await comeIn(me);
  const [, animal] = await client.animals();
  const traits = page.getByRole("button", { name: `All traits of ${animal.name}` });
  await press(page, traits, "Enter", page.getByRole("table", { name: `Traits of ${animal.name}` }));

  await press(page, page.getByRole("navigation", { name: "Game" }).getByRole("link", { name: "Shows" }), "Enter", board(page));
  const heading = page.getByRole("heading", { level: 1, name: show.name });
  await press(page, page.getByRole("list", { name: "Shows" }).getByRole("link", { name: show.name }), "Enter", heading);

  const opens = page.getByRole("button", { name: "Enter an animal" });
  const dialog = page.getByRole("dialog", { name: "Enter an animal" });
  await press(page, opens, "Enter", dialog);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  assert.ok(await opens.evaluate((e) => e === document.activeElement), "a dialog that closes gives the focus back");

  await press(page, opens, "Enter", dialog);
  await chooseByArrows(page, dialog.getByRole("radio", { name: animal.name }), dialog);
  await press(page, dialog.getByRole("button", { name: `Enter ${animal.name} for 10 gold` }), "Enter", gold(page, 490));

  const sure = page.getByRole("dialog", { name: "Judge this show?" });
  await press(page, page.getByRole("button", { name: "Judge this show" }), "Enter", sure);
  await press(page, sure.getByRole("button", { name: "Judge now" }), "Enter", podium(page));
  await press(page, page.getByRole("button", { name: "Claim prize" }), "Space", gold(page, 590));
  await press(page, gold(page, 590), "Enter", messages(page).getByText("You have 590 gold."));
  assert.equal((await comeIn(me)).account.goldBalance, 590);
});

playing("the tabs of the welcome go by arrows", async (stage) => {
  const page = await stage.page();
  await tabTo(page, page.getByRole("tab", { selected: true }));
  await page.keyboard.press("ArrowRight");
  const has = page.getByRole("tab", { name: "I have a ranch", selected: true });
  await has.waitFor();
  assert.ok(await has.evaluate((e) => e === document.activeElement));
  await tabTo(page, page.getByRole("form", { name: "Log in" }).getByRole("textbox", { name: "E-mail" }));
});

// Tab stops once at a group of radios; arrows choose among them.
async function chooseByArrows(page, radio, dialog) {
  const stops = dialog.getByRole("radio");
  for (let presses = 0; presses < 20; presses++) {
    const on = await stops.evaluateAll((all) => all.includes(document.activeElement));
    if (on) break;
    await page.keyboard.press("Tab");
  }
  for (let presses = 0; presses < 10 && !(await radio.isChecked()); presses++) await page.keyboard.press("ArrowDown");
  assert.ok(await radio.isChecked(), "arrows do not choose the animal");
}
