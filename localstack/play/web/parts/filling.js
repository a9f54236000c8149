// What a part of a view shows while it waits for the service: what was known before, or its bones; and what went wrong.
import { h, put } from "../dom.js";
import { isAbort, sentence } from "../errors.js";
import { trouble } from "./notices.js";
import { worker } from "./dialog.js";

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
  const redraw = () => {
    const held = place.contains(document.activeElement) ? document.activeElement : null;
    put(place, ...render(/** @type {T} */ (game.answers.get(key))));
    if (held) land(place, held);
  };
  let asked = 0;
  const again = async () => {
    asked = Date.now();
    place.setAttribute("aria-busy", "true");
    try {
      const answer = await ask();
      if (signal.aborted) return;
      game.answers.set(key, answer);
      show(answer);
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      game.failed(error);
      if (shown) trouble(place, `This is how it was before. ${sentence(operation, error)}`);
      else put(place, failed(sentence(operation, error), again));
    } finally {
      place.removeAttribute("aria-busy");
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

/**
 * Gives the focus to what has taken the place of what had it: the same act, else where the content wants it.
 * @param {HTMLElement} place
 * @param {Element} held
 */
function land(place, held) {
  const act = held instanceof HTMLElement ? held.dataset.act : undefined;
  const next = (act && place.querySelector(`[data-act="${act}"]`)) || place.querySelector("[data-landing]");
  if (next instanceof HTMLElement) next.focus();
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
 * @param {() => Promise<void>} again
 */
const failed = (text, again) =>
  h("div", { class: "sheet failed" }, h("p", { role: "alert" }, text), h("p", {}, worker("Try again", "small", again)));

/**
 * What there is where nothing is.
 * @param {string} text
 * @param {...Node} more
 */
export const nothing = (text, ...more) => h("div", { class: "nothing" }, h("p", {}, text), ...more);
