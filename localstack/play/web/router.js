// Shows the view for the address behind #: one at a time, with its title, and the focus on its heading.
import { h, put } from "./dom.js";
import { optional } from "./optional.js";
import { dismiss } from "./parts/notices.js";
import { account } from "./views/account.js";
import { board } from "./views/board.js";
import { missing } from "./views/missing.js";
import { ranch } from "./views/ranch.js";
import { season } from "./views/season.js";
import { show } from "./views/show.js";
import { welcome } from "./views/welcome.js";

/** @typedef {import("./game.js").Game} Game */

/**
 * @typedef {object} Route
 * @property {string[]} path
 * @property {URLSearchParams} query
 */

/**
 * @typedef {object} View
 * @property {HTMLElement} node it has the one h1, in the class "view-title"
 * @property {string} title
 * @property {Promise<string | void>} [ready] resolves when the heading is final, with the title if it was not known
 */

/** @typedef {(game: Game, route: Route, signal: AbortSignal) => View} MakeView */

/** @type {Record<string, MakeView>} */
const forPlayers = {
  ranch,
  account,
  season,
  shows: (game, route, signal) => [board, show, missing][Math.min(route.path.length, 3) - 1](game, route, signal),
};

export class Router {
  #leave = new AbortController();
  #first = true;

  /**
   * @param {Game} game
   * @param {HTMLElement} main
   */
  constructor(game, main) {
    this.game = game;
    this.main = main;
    addEventListener("hashchange", () => {
      dismiss(); // the message was about the view before
      this.open();
    });
  }

  /** Shows the view of the address, if the current player may see it. */
  open() {
    const route = parse(location.hash);
    const [first = ""] = route.path;
    const playing = this.game.player !== null;
    if (!playing && first !== "welcome")
      return this.#move(
        `#/welcome${Object.hasOwn(forPlayers, first) ? `?next=${encodeURIComponent(location.hash)}` : ""}`,
      );
    if (playing && (first === "" || first === "welcome")) return this.#move(next(route));
    this.#leave.abort();
    this.#leave = new AbortController();
    const make = playing ? (Object.hasOwn(forPlayers, first) ? forPlayers[first] : missing) : welcome;
    if (playing) void this.game.readGold();
    this.#show(make(this.game, route, this.#leave.signal), first, this.#leave.signal);
  }

  /** Goes to an address without a step for the back button. @param {string} hash */
  #move(hash) {
    const moved = optional(() => (history.replaceState(null, "", hash), true));
    if (moved) this.open();
    else location.hash = hash; // Safari allows 100 replacements in 30 s
  }

  /**
   * @param {View} view
   * @param {string} first
   * @param {AbortSignal} signal
   */
  async #show(view, first, signal) {
    const loaded = this.#first;
    this.#first = false;
    const held = document.activeElement;
    put(this.main, h("div", { class: `view view-${first}` }, view.node));
    document.body.dataset.view = first;
    for (const link of document.querySelectorAll("[data-view]")) {
      if (!(link instanceof HTMLAnchorElement)) continue;
      if (link.dataset.view === first) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    title(view.title);
    if (!loaded) optional(() => scrollTo(0, 0));
    sameFilter(this.main, held)?.focus({ preventScroll: true });
    const name = await view.ready;
    if (signal.aborted) return;
    if (name) title(name);
    const heading = this.main.querySelector(".view-title");
    if (!(heading instanceof HTMLElement)) return;
    heading.tabIndex = -1;
    const idle = document.activeElement === document.body || document.activeElement === held;
    if (!loaded && idle && !document.querySelector("dialog[open]")) heading.focus({ preventScroll: true });
  }
}

/**
 * Returns the link in the new view that equals the focused link of the last view, so that a filter keeps the focus.
 * Without such a link it returns null.
 * @param {HTMLElement} main
 * @param {Element | null} held
 * @returns {HTMLElement | null}
 */
function sameFilter(main, held) {
  if (!(held instanceof HTMLAnchorElement) || !held.matches(".filter")) return null;
  const kind = CSS.escape(held.closest("nav")?.getAttribute("aria-label") ?? "");
  return main.querySelector(`nav[aria-label="${kind}"] [href="${CSS.escape(held.getAttribute("href") ?? "")}"]`);
}

/** @param {string} of */
function title(of) {
  document.title = of === "Ranch" ? of : `${of} · Ranch`;
}

/**
 * @param {string} hash
 * @returns {Route}
 */
function parse(hash) {
  const [path = "", query = ""] = hash.slice(2).split("?", 2);
  return { path: path.split("/").filter((part) => part !== "").map(decoded), query: new URLSearchParams(query) };
}

/** Returns a part of an address decoded, or unchanged if its encoding is wrong. @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns the address to which the player wanted to go before the log-in, or the ranch's. @param {Route} route */
function next(route) {
  const wanted = route.query.get("next") ?? "";
  return wanted.startsWith("#/") && !wanted.startsWith("#/welcome") ? wanted : "#/ranch";
}
