// The entries of a show: by rank once it is judged, else as they came.
import { rankRibbon } from "../art/icons.js";
import { h, name } from "../dom.js";
import { capital, ordinal } from "../words.js";
import { framed } from "./animal-card.js";

/** @typedef {import("../client/index.js").Entry} Entry */

/**
 * @param {Entry[]} entries
 * @param {string} me
 * @param {boolean} judged
 */
export const entryList = (entries, me, judged) =>
  h(
    "ol",
    { class: "entries", role: "list", "aria-label": "Entries" },
    ...entries.map((entry) => line(entry, entry.playerId === me, judged)),
  );

/**
 * @param {Entry} entry
 * @param {boolean} own
 * @param {boolean} judged
 */
function line(entry, own, judged) {
  return h(
    "li",
    { class: own ? "entry own" : "entry" },
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
