// The parts of a view that show an answer, or a failure. While they wait, they show the last answer or a skeleton.
import { h, put } from "../dom.js";
import { isAbort, isCode, sentence } from "../errors.js";
import { trouble } from "./notices.js";
import { worker } from "./dialog.js";
import { swap } from "./focus.js";

/** @typedef {import("../game.js").Game} Game */
/** @typedef {import("../errors.js").Operation} Operation */

/**
 * @template T
 * @typedef {object} Filling
 * @property {import("../live.js").Live<T>} live
 * @property {Operation} operation
 * @property {(answer: T) => (Node | string | null | false)[]} render
 * @property {number} [bones] the parts of the skeleton before the first answer
 * @property {string} [columns] the class of the answer's grid, if the element is not the grid itself
 */

/**
 * The time in milliseconds after which an answer is old. If a player comes back to the page later than that, the page
 * requests the answer again.
 */
const stale = 15_000;

/**
 * Fills an element with an answer of the service. It requests the answer again when the service or the player is back,
 * and when the caller calls again. It draws each newer answer.
 * @template T
 * @param {HTMLElement} place
 * @param {Game} game
 * @param {AbortSignal} signal
 * @param {Filling<T>} filling
 * @returns {{ again: () => Promise<void>, redraw: () => void, ready: Promise<void> }} it is ready when there is
 * something to see
 */
export function fill(place, game, signal, { live, operation, render, bones = 3, columns }) {
  let shown = "";
  const redraw = () => {
    if (live.value !== undefined) swap(place, ...render(live.value));
  };
  const show = () => {
    const text = JSON.stringify(live.value);
    if (live.failed || text === shown) return;
    shown = text;
    redraw();
  };
  let asked = 0;
  let asks = 0;
  const again = async () => {
    asked = Date.now();
    const number = ++asks;
    place.setAttribute("aria-busy", "true");
    try {
      await live.read(signal);
      if (signal.aborted) return;
      trouble(place, "");
      game.reached();
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      const said = await game.failed(error); // true if the page reports it once for all parts
      if (signal.aborted || number !== asks) return;
      if (!shown) swap(place, failed(sentence(operation, error), isCode(error, "NOT_FOUND") ? null : again, !said));
      else if (!said) trouble(place, `This is how it was before. ${sentence(operation, error)}`, "old");
    } finally {
      if (number === asks) place.removeAttribute("aria-busy");
    }
  };
  const before = live.value !== undefined;
  if (before) {
    shown = JSON.stringify(live.value);
    redraw();
  } else put(place, ...skeleton(bones, columns));
  live.watch(show, signal);
  game.whenBack(() => void again(), signal);
  const first = again();
  /** The player looks at the page again, and the answer is old, or the clock was set back. */
  const seen = () => {
    if (document.visibilityState === "visible" && Math.abs(Date.now() - asked) > stale) void again();
  };
  document.addEventListener("visibilitychange", seen, { signal });
  return { again, redraw, ready: before ? Promise.resolve() : first };
}

/**
 * @param {number} count
 * @param {string} [columns]
 */
function skeleton(count, columns) {
  const bones = Array.from({ length: count }, () =>
    h("div", { class: "bones", "aria-hidden": "true" }, h("span"), h("span"), h("span")),
  );
  return [h("p", { class: "unseen" }, "Loading…"), ...(columns ? [h("div", { class: columns }, ...bones)] : bones)];
}

/**
 * @param {string} text
 * @param {(() => Promise<void>) | null} again null if that would not help
 * @param {boolean} aloud
 */
const failed = (text, again, aloud) =>
  h(
    "div",
    { class: "sheet failed" },
    h("p", { role: aloud && "alert" }, text),
    again && h("p", {}, worker("Try again", "small", again)),
  );

/**
 * The text for an empty list.
 * @param {string} text
 * @param {...Node} more
 */
export const nothing = (text, ...more) => h("div", { class: "nothing" }, h("p", {}, text), ...more);

/**
 * Returns a button that loads more of a list. If loading fails, an error appears beside the button.
 * @param {string} label
 * @param {Game} game
 * @param {Operation} operation
 * @param {AbortSignal} signal
 * @param {() => Promise<void>} load
 */
export function more(label, game, operation, signal, load) {
  const place = h("div", { class: "more" });
  place.append(
    worker(label, "second", async () => {
      trouble(place, "");
      try {
        await load();
      } catch (error) {
        if (signal.aborted) return;
        await game.failed(error);
        trouble(place, sentence(operation, error));
      }
    }),
  );
  return place;
}
