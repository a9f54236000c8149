// What a part of a view shows while it waits for the service: what was known before, or its bones; and what went wrong.
import { h, put } from "../dom.js";
import { isAbort, isAway, isCode, sentence } from "../errors.js";
import { trouble } from "./notices.js";
import { worker } from "./dialog.js";
import { swap } from "./focus.js";

/** @typedef {import("../game.js").Game} Game */
/** @typedef {import("../errors.js").Operation} Operation */

/**
 * @template T
 * @typedef {object} Filling
 * @property {string} key what it is kept by for the next time
 * @property {Operation} operation
 * @property {() => Promise<T>} ask
 * @property {(answer: T) => (Node | string | null | false)[]} render
 * @property {number} [bones] how many there are while nothing is known
 */

/** After how many milliseconds an answer is asked for anew when somebody comes back to the page. */
const stale = 15_000;

/**
 * Fills a place with an answer, and keeps it filled: again when the service is back, and whenever the result is called.
 * @template T
 * @param {HTMLElement} place
 * @param {Game} game
 * @param {AbortSignal} signal
 * @param {Filling<T>} filling
 * @returns {{ again: () => Promise<void>, redraw: () => void, ready: Promise<void> }} it is ready when there is
 * something to see
 */
export function fill(place, game, signal, { key, operation, ask, render, bones = 3 }) {
  let shown = "";
  /** @param {T} answer */
  const show = (answer) => {
    const text = JSON.stringify(answer);
    trouble(place, "");
    if (text === shown) return;
    shown = text;
    redraw();
  };
  const redraw = () => swap(place, ...render(/** @type {T} */ (game.answers.get(key))));
  let asked = 0;
  let asks = 0;
  let latest = Promise.resolve();
  const again = () => {
    asked = Date.now();
    place.setAttribute("aria-busy", "true");
    return (latest = once(++asks));
  };
  /** @param {number} number an ask is overtaken by the next one, whatever comes of it */
  const once = async (number) => {
    try {
      const answer = await ask();
      if (signal.aborted || number !== asks) return;
      game.answers.set(key, answer);
      show(answer);
      game.reached();
    } catch (error) {
      if (signal.aborted || number !== asks || isAbort(error)) return;
      game.failed(error);
      const away = isAway(error); // which is said once for the whole page, and not by each of its parts
      if (!shown) swap(place, failed(sentence(operation, error), isCode(error, "NOT_FOUND") ? null : again, !away));
      else if (!away) trouble(place, `This is how it was before. ${sentence(operation, error)}`);
    } finally {
      if (number === asks) place.removeAttribute("aria-busy");
      else await latest;
    }
  };
  const before = /** @type {T | undefined} */ (game.answers.get(key));
  if (before === undefined) put(place, ...skeleton(bones));
  else show(before);
  game.whenBack(() => void again(), signal);
  const first = again();
  /** Somebody looks at the page again, after a while. */
  const seen = () => {
    if (document.visibilityState === "visible" && Date.now() - asked > stale) void again();
  };
  document.addEventListener("visibilitychange", seen, { signal });
  return { again, redraw, ready: before === undefined ? first : Promise.resolve() };
}

/** @param {number} count */
const skeleton = (count) => [
  h("p", { class: "unseen" }, "Loading…"),
  ...Array.from({ length: count }, () =>
    h("div", { class: "bones", "aria-hidden": "true" }, h("span"), h("span"), h("span")),
  ),
];

/**
 * @param {string} text
 * @param {(() => Promise<void>) | null} again null where that would not help
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
 * What there is where nothing is.
 * @param {string} text
 * @param {...Node} more
 */
export const nothing = (text, ...more) => h("div", { class: "nothing" }, h("p", {}, text), ...more);
