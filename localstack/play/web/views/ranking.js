// The ranking of a season, in pages, with the player's own place.
import { h, name } from "../dom.js";
import { fill, more, nothing } from "../parts/filling.js";
import { swap } from "../parts/focus.js";
import { ordinal, plural } from "../words.js";

/** @typedef {import("../game.js").Game} Game */
/** @typedef {import("../client/index.js").StandingsPage & { next: boolean }} Ranking */

/**
 * Shows the ranking, the first page at first.
 * @param {HTMLElement} place
 * @param {Game} game
 * @param {string} season "" for the active one
 * @param {AbortSignal} signal
 */
export function places(place, game, season, signal) {
  const me = game.me.id;
  const list = h("div", { class: "entry-pages" });
  /**
   * @param {string} label
   * @param {import("../client/index.js").StandingsAt} at
   * @param {(page: Ranking) => Ranking} join
   */
  const ask = (label, at, join) =>
    more(label, game, "standings", signal, async () => {
      const page = await game.client.standings({ season, ...at }, { signal });
      draw(join(page), page.standings.find(({ playerId }) => playerId === me)?.playerId ?? page.standings[0]?.playerId);
    });
  /**
   * @param {Ranking} shown
   * @param {string} [landing] the player whose row gets the focus if the pressed button has disappeared
   */
  const draw = (shown, landing) => {
    const { standings } = shown;
    const first = standings[0]?.rank === 1;
    swap(
      list,
      h(
        "ol",
        { class: "entries", role: "list", "aria-label": "Ranking" },
        ...standings.map(({ rank, playerId, playerUsername, score }) =>
          h(
            "li",
            { class: playerId === me ? "entry own" : "entry", tabindex: playerId === landing && -1, "data-landing": playerId === landing },
            h("p", { class: "place" }, ordinal(rank)),
            h("p", { class: "entry-who" }, name(playerUsername), playerId === me && h("span", { class: "own-tag" }, "you")),
            h("p", { class: "entry-score" }, score.toLocaleString("en")),
          ),
        ),
      ),
      h(
        "div",
        { class: "acts" },
        shown.next &&
          ask("More places", { after: standings.at(-1)?.playerId }, (page) =>
            page.asOf === shown.asOf ? { ...page, standings: [...standings, ...page.standings] } : page,
          ),
        !first && ask("Back to the first", {}, (page) => page),
        shown.me && !standings.some(({ playerId }) => playerId === me) && ask("Show my place", { around: "me" }, (page) => page),
      ),
    );
  };
  fill(place, game, signal, {
    live: game.ranking(season),
    operation: "standings",
    render: (page) => {
      if (page.standings.length === 0) return [nothing("There is no ranking yet. It comes a minute after the first judging.")];
      draw(page);
      const own = page.me
        ? `You are ${ordinal(page.me.rank)} of ${plural(page.players, "player")}, with ${plural(page.me.score, "point")}.`
        : `${plural(page.players, "player")} ${page.players === 1 ? "is" : "are"} in it. Enter a show to be in it, too.`;
      return [h("p", { class: "own-place" }, own), list];
    },
  });
}
