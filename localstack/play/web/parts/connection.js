// Whether the service answers, and coming back when it does.
import { h, put } from "../dom.js";
import { aside } from "./notices.js";

const first = 2000;
const longest = 30000;

export class Connection {
  #away = false;
  #delay = first;
  #found = -Infinity;
  #timer = 0;

  /**
   * @param {string} api
   * @param {HTMLElement} place
   * @param {() => boolean} back makes the view ask again, and says whether it has something to ask
   */
  constructor(api, place, back) {
    this.api = api;
    this.place = place;
    this.back = back;
    addEventListener("offline", () => this.lost());
    addEventListener("online", () => this.#away && void this.#ask());
  }

  /** The service does not answer. */
  lost() {
    if (this.#away) return;
    this.#away = true;
    if (performance.now() - this.#found > longest) this.#delay = first; // else it comes and goes
    put(
      this.place,
      h(
        "section",
        { class: "connection", "aria-label": "Connection" },
        h(
          "p",
          { role: "alert" },
          h("strong", {}, navigator.onLine ? "The fair does not answer. " : "You are offline. "),
          "You stay logged in, and what is on the page stays. Entering, judging and claiming wait until the fair is back; ",
          "this page keeps trying.",
        ),
        h("button", { type: "button", class: "button small", onclick: () => void this.#ask() }, "Try now"),
      ),
    );
    this.#later();
  }

  /** Something has answered: whether that is of any use, the view's own questions tell. */
  answered() {
    if (this.#away && !this.back()) this.found();
  }

  /** The service has answered a question of a view. */
  found() {
    if (!this.#away) return;
    this.#away = false;
    this.#found = performance.now();
    clearTimeout(this.#timer);
    const held = this.place.contains(document.activeElement);
    put(this.place);
    if (held) document.querySelector("main")?.focus();
    aside("The fair is back.");
    this.back(); // for what has not been asked yet
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), this.#delay * (0.75 + Math.random() / 2));
    this.#delay = Math.min(this.#delay * 2, longest);
  }

  /** Any answer of the service's own is one, also that this question needs a token. */
  async #ask() {
    try {
      const answer = await fetch(`${this.api}/events/season`, { cache: "no-store", signal: AbortSignal.timeout(8000) });
      if (answer.status < 502 || answer.status > 504) this.answered();
    } catch {
      // Still away.
    }
    if (this.#away) this.#later();
  }
}
