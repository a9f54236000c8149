// The entries of a show, in pages: by rank if it is judged, otherwise in the service's order.
import { rankRibbon } from "../art/icons.js";
import { h, name } from "../dom.js";
import { capital, ordinal } from "../words.js";
import { framed } from "./animal-card.js";
import { more } from "./filling.js";
import { swap } from "./focus.js";

/** @typedef {import("../client/index.js").Entry} Entry */
/** @typedef {import("../game.js").Game} Game */

/**
 * The part of the list that is shown.
 * @typedef {object} Shown
 * @property {Entry[]} items
 * @property {boolean} next there are entries behind them
 * @property {boolean} prev there are entries before them
 */

/**
 * @param {import("../show-reader.js").Sight} sight
 * @param {Game} game
 * @param {AbortSignal} signal
 */
export function entryPages({ head, own, first }, game, signal) {
  const { id: me } = game.me;
  const place = h("div", { class: "entry-pages" });
  /**
   * Makes a button that requests a page and shows it joined with the others.
   * @param {string} label
   * @param {import("../client/index.js").EntriesAt} at
   * @param {(page: Shown) => Shown} join
   */
  const ask = (label, at, join) =>
    more(label, game, "show", signal, async () => {
      const page = await game.client.showEntries(head.id, at, { signal });
      draw(join(page), page.items.find(({ playerId }) => playerId === me) ?? page.items[0]);
    });
  /**
   * @param {Shown} shown
   * @param {Entry} [landing] gets the focus if the pressed button has disappeared
   */
  const draw = ({ items, next, prev }, landing) =>
    swap(
      place,
      prev &&
        h(
          "div",
          { class: "acts" },
          ask("Back to the first", {}, (page) => page),
          ask("Earlier entries", { before: items[0].id }, (page) => ({
            ...page,
            items: [...page.items, ...items],
            next,
          })),
        ),
      h(
        "ol",
        { class: "entries", role: "list", "aria-label": "Entries" },
        ...items.map((entry) => line(entry, entry.playerId === me, head.status === "completed", entry === landing)),
      ),
      h(
        "div",
        { class: "acts" },
        next &&
          ask("More entries", { after: items.at(-1)?.id }, (page) => ({
            ...page,
            items: [...items, ...page.items],
            prev,
          })),
        own.length > 0 &&
          !items.some(({ playerId }) => playerId === me) &&
          ask("Show my place", { around: "me" }, (page) => page),
      ),
    );
  draw({ ...first, prev: false });
  return place;
}

/**
 * @param {Entry} entry
 * @param {boolean} own
 * @param {boolean} judged
 * @param {boolean} landing
 */
function line(entry, own, judged, landing) {
  return h(
    "li",
    { class: own ? "entry own" : "entry", tabindex: landing && -1, "data-landing": landing },
    judged &&
      h(
        "span",
        { class: "entry-rank" },
        rankRibbon(entry.rank),
        h("span", { class: "unseen" }, entry.rank === null ? "Not ranked: " : `${ordinal(entry.rank)}: `),
      ),
    framed({ id: entry.animalId, breed: entry.breed }, entry.rarityTier),
    h(
      "div",
      { class: "entry-who" },
      h("p", { class: "entry-animal" }, name(entry.animalName), own && h("span", { class: "own-tag" }, "yours")),
      h("p", { class: "muted" }, `${capital(entry.breed)}, ${entry.rarityTier}, of `, name(entry.playerUsername)),
    ),
    judged &&
      h(
        "p",
        { class: "entry-score" },
        h("span", { class: "unseen" }, "Score "),
        entry.score === null ? (entry.rank === null ? "–" : "0.00") : entry.score.toFixed(2),
        own && entry.rewardClaimed && h("small", { class: "muted" }, "claimed"),
      ),
  );
}
