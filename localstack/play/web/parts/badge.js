// The badge on the way to the ranch: how many prizes wait, of all seasons.
import { h, put } from "../dom.js";
import { plural } from "../words.js";
import { byShow } from "./ticket.js";

/**
 * @param {HTMLElement} place
 * @param {import("../game.js").Game} game
 * @param {AbortSignal} signal aborted if the player changes
 */
export function badge(place, game, signal) {
  const render = () => {
    const count = byShow(game.waiting.value ?? []).size;
    place.hidden = count === 0;
    put(
      place,
      h("span", { "aria-hidden": "true" }, count),
      h("span", { class: "unseen" }, ` ${plural(count, "prize")} to claim`),
    );
  };
  render();
  game.waiting.watch(render, signal);
  void game.readWaiting();
}
