// A player's actions with only a keyboard. The focus must be visible at each step, and may never be lost.
import assert from "node:assert/strict";

/** Presses Tab until the control has the focus. */
export async function tabTo(page, control) {
  await control.waitFor();
  for (let presses = 0; presses < 200; presses++) {
    await page.keyboard.press("Tab");
    await seeFocus(page);
    if (await control.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`200 presses of Tab do not lead to ${control}`);
}

/** Goes to a control, presses a key there, such as Enter, and waits for the element that must appear. */
export async function press(page, control, key, appears) {
  await tabTo(page, control);
  await page.keyboard.press(key);
  await appears.waitFor();
  await page.waitForFunction(() => document.activeElement !== null && document.activeElement !== document.body, null, { polling: 50 });
}

export async function type(page, field, text) {
  await tabTo(page, field);
  await page.keyboard.type(text);
}

/**
 * Checks that the focused element, or an element around it, has an outline. Between the end and the beginning of the
 * page, no element has the focus.
 */
async function seeFocus(page) {
  const unseen = await page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return null;
    const outlined = (e) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(e);
      return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
    };
    let shows = false;
    for (let e = element; e !== null && !e.matches("main, dialog, body"); e = e.parentElement) shows ||= outlined(e);
    const box = element.getBoundingClientRect();
    const there = box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
    const visible = element.matches(":focus-visible") && shows;
    return visible && there ? null : `${element.outerHTML.slice(0, 200)}${there ? "" : ", which is out of sight"}`;
  });
  assert.equal(unseen, null, `the focus is not to be seen on ${unseen}`);
}
