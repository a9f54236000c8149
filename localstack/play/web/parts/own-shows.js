// The list of the player's shows: those with a prize to claim come first.
import { rankRibbon } from "../art/icons.js";
import { h, name } from "../dom.js";
import { capital } from "../words.js";
import { fill, more, nothing } from "./filling.js";
import { bestRank, byShow, ownLine, tierClass, toClaim } from "./ticket.js";

/** @typedef {import("../game.js").Game} Game */
/** @typedef {import("../client/index.js").OwnEntry} OwnEntry */

/** The number of shows at first. */
const few = 8;

/**
 * @param {HTMLElement} place
 * @param {Game} game
 * @param {AbortSignal} signal
 * @param {import("../live.js").Paged<OwnEntry>} live
 */
export function ownShows(place, game, signal, live) {
  let most = few;
  const filled = fill(place, game, signal, {
    live,
    operation: "own",
    columns: "own-shows",
    render: ({ items, next }) => {
      if (items.length === 0) return [nothing("None of your animals is in a show.")];
      const shows = [...byShow(items).values()];
      const order = [...shows.filter((own) => toClaim(own) > 0), ...shows.filter((own) => toClaim(own) === 0)];
      return [
        h("ul", { class: "own-shows", role: "list", "aria-label": "Your shows" }, ...order.slice(0, most).map(ownShow)),
        (next || order.length > most) &&
          more("More of your shows", game, "own", signal, async () => {
            const loaded = order.length;
            most += 3 * few;
            if (most > loaded && next) await live.more(signal);
            else filled.redraw();
          }),
      ];
    },
  });
}

/** @param {OwnEntry[]} own in one show */
export function ownShow(own) {
  const [{ showId, showName, showStatus, tier }] = own;
  return h(
    "li",
    { class: `own-show ${tierClass(tier)} ${toClaim(own) > 0 ? "waits" : ""}` },
    h(
      "div",
      {},
      h("a", { href: `#/shows/${encodeURIComponent(showId)}` }, name(showName)),
      h("p", { class: "muted" }, `${capital(tier)} · `, name(ownLine(own))),
    ),
    showStatus === "completed" && rankRibbon(bestRank(own)),
  );
}
