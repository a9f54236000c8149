// Shows whether the service answers and whether it can check the log-in. It tries again until both work.
import { h, put } from "../dom.js";
import { away } from "../words.js";
import { aside } from "./notices.js";

/** @typedef {import("../game.js").Loss} Loss */

const first = 2000;
const longest = 30000;

export class Connection {
  /** @type {Loss | null} */
  #away = null;
  #delay = first;
  #found = -Infinity;
  #timer = 0;

  /**
   * @param {string} api
   * @param {HTMLElement} place
   * @param {() => boolean} back makes the view ask again, and returns whether there is something to ask
   * @param {() => void} logIn leads to the log-in
   */
  constructor(api, place, back, logIn) {
    this.api = api;
    this.place = place;
    this.back = back;
    this.logIn = logIn;
    addEventListener("online", () => this.#away && void this.#ask());
  }

  get isAway() {
    return this.#away !== null;
  }

  /** Shows that the service does not answer, or cannot check the log-in. @param {Loss} loss */
  lost(loss) {
    if (this.#away === loss) return;
    if (!this.#away) {
      if (performance.now() - this.#found > longest) this.#delay = first; // within 30 s of the last return, keep the delay
      this.#later();
    }
    this.#away = loss;
    const { said, more } = away[loss];
    const isSession = loss === "session";
    put(
      this.place,
      h(
        "section",
        { class: "connection", "aria-label": "Connection" },
        h("p", { role: "alert" }, h("strong", {}, navigator.onLine || isSession ? said : "You are offline.", " "), more),
        h(
          "button",
          { type: "button", class: "button small", onclick: () => void this.#ask() },
          isSession ? "Retry" : "Try now",
        ),
        isSession &&
          h("button", { type: "button", class: "button small second", onclick: () => this.#leave() }, "Log in"),
      ),
    );
  }

  /** An answer came. The requests of the view decide whether the service works again. */
  answered() {
    if (this.#away && !this.back()) this.found();
  }

  /** The service has answered a request of a view. */
  found() {
    if (!this.#away) return;
    this.#clear();
    aside("The fair is back.");
    this.back(); // for requests that have not been made yet
  }

  /** A player who logs in again does not wait for the service here. */
  #leave() {
    this.#clear();
    this.logIn();
  }

  #clear() {
    this.#away = null;
    this.#found = performance.now();
    clearTimeout(this.#timer);
    const held = this.place.contains(document.activeElement);
    put(this.place);
    if (held) document.querySelector("main")?.focus();
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), this.#delay * (0.75 + Math.random() / 2));
    this.#delay = Math.min(this.#delay * 2, longest);
  }

  /** Any answer of the service itself counts, even the refusal of a request without a token. */
  async #ask() {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), 8000);
    try {
      const answer = await fetch(`${this.api}/events/season`, {
        cache: "no-store",
        redirect: "manual", // to a network's log-in page; its status is 0 here
        signal: late.signal,
      });
      if (answer.status > 0 && answer.status < 502) this.answered();
    } catch {
      // The service is still away.
    } finally {
      clearTimeout(timer);
    }
    if (this.#away) this.#later();
  }
}
