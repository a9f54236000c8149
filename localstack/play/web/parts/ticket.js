// A show on the board, drawn as a ticket: its stub has the tier.
import { bestFor, isEnterable, isTooDear } from "../advice.js";
import { freshId, h, name, put } from "../dom.js";
import { both } from "../judges.js";
import { capital, fee, gold, moment, ordinal, plural, prize, prizesOf, status } from "../words.js";
import { countdown } from "./countdown.js";

/** @typedef {import("../client/index.js").OwnEntry} OwnEntry */
/** @typedef {import("../game.js").Game} Game */

/** The class of a tier's colours. @param {string} tier */
export const tierClass = (tier) => `tier-${prizesOf(tier).length > 0 ? tier : "other"}`;

/**
 * @param {import("../game.js").BoardShow} show
 * @param {OwnEntry[]} own entries in it
 * @param {Game} game
 * @param {AbortSignal} signal
 */
export function ticket(show, own, game, signal) {
  const id = freshId("show");
  const first = prize(show.tier, 1);
  return h(
    "li",
    {},
    h(
      "article",
      { class: `ticket ${tierClass(show.tier)}`, "aria-labelledby": id },
      h(
        "div",
        { class: "stub" },
        h("span", { class: "stub-tier", dir: "auto" }, capital(show.tier)),
        h("span", { class: "stub-prize" }, first > 0 ? `${first.toLocaleString("en")}` : "–"),
        h("span", { class: "stub-what" }, first > 0 ? "gold for the first" : "no prizes"),
      ),
      h(
        "div",
        { class: "ticket-body" },
        h(
          "h2",
          { class: "ticket-name", id },
          h("a", { href: `#/shows/${encodeURIComponent(show.id)}` }, name(show.name)),
        ),
        h(
          "dl",
          { class: "facts" },
          fact("Entry fee", fee(show.entryFee)),
          fact("Entries", plural(show.entryCount, "animal")),
          when(show, game, signal),
        ),
        show.looked && h("p", { class: "judges" }, judgesLine(show.looked, show.status)),
        own.length > 0 ? h("p", { class: "own-mark" }, ownLine(own)) : advice(show, game),
      ),
    ),
  );
}

/**
 * Returns a line that says whether the show is too dear for the player, or else names the best animal for it.
 * @param {import("../game.js").BoardShow} show
 * @param {Game} game
 */
function advice(show, game) {
  if (!isEnterable(show, game)) return null;
  if (isTooDear(show, game))
    return h("p", { class: "too-dear" }, `Too dear for now: you have ${gold(game.gold.value ?? 0)}.`);
  const best = bestFor(game.animals.value ?? [], show.looked, []);
  return best && h("p", { class: "best-animal" }, "Your best for it: ", h("strong", {}, name(best.name)));
}

/** How many entries a show has, if that is known. @param {import("../show-reader.js").Sight} sight */
export const size = ({ count, first }) =>
  count === null ? `more than ${plural(first.items.length, "animal")}` : plural(count, "animal");

/**
 * @param {import("../judges.js").Favourites} looked
 * @param {string} status
 */
export const judgesLine = (looked, status) =>
  `The judges ${status === "open" ? "look" : "looked"} for ${both(looked)}.`;

/**
 * @param {string} label
 * @param {Node | string} value
 */
export const fact = (label, value) => h("div", { class: "fact" }, h("dt", {}, label), h("dd", {}, value));

const closedEntry = () => fact("Entry closed", "Not judged yet");

/**
 * @param {{ status: string, entryClosesAt: string, judgedAt: string | null }} show
 * @param {Game} game
 * @param {AbortSignal} signal
 * @param {() => void} [over]
 */
export function when(show, game, signal, over) {
  if (isEnterable(show, game)) {
    const place = fact(
      "Entry closes in",
      countdown(show.entryClosesAt, () => game.client.serverTime(), signal, closed),
    );
    return place;
    function closed() {
      put(place, ...closedEntry().childNodes);
      over?.();
    }
  }
  if (show.status === "open") return closedEntry();
  if (show.judgedAt) return fact(status(show.status), moment(show.judgedAt));
  return fact("Entry was to close", moment(show.entryClosesAt));
}

/**
 * Returns a line about the player's entries in a show.
 * @param {OwnEntry[]} own at least one
 */
export function ownLine(own) {
  const [{ showStatus }] = own;
  const names = own.map(({ animalName }) => animalName).join(", ");
  if (showStatus === "cancelled") return `${names}: cancelled, the fee is back`;
  if (showStatus !== "completed") return `Entered: ${names}`;
  const waits = toClaim(own);
  const ranked = own
    .map(({ animalName, rank }) => (rank === null ? `${animalName} not ranked` : `${animalName} ${ordinal(rank)}`))
    .join(", ");
  return waits > 0 ? `${ranked}: a prize of ${gold(waits)} waits` : ranked;
}

/**
 * Returns the best rank of the player's entries, or null if none has a rank.
 * @param {OwnEntry[]} own
 */
export function bestRank(own) {
  const ranks = own.flatMap(({ rank }) => rank ?? []);
  return ranks.length > 0 ? Math.min(...ranks) : null;
}

/**
 * Returns the gold that the player gets by a claim in a show with these entries.
 * @param {OwnEntry[]} own
 */
export const toClaim = (own) =>
  own.reduce((sum, { goldReward, rewardClaimed }) => sum + (rewardClaimed ? 0 : (goldReward ?? 0)), 0);

/**
 * Groups the player's entries by show, in the order of the list.
 * @param {OwnEntry[]} entries
 * @returns {Map<string, OwnEntry[]>}
 */
export function byShow(entries) {
  /** @type {Map<string, OwnEntry[]>} */
  const shows = new Map();
  for (const entry of entries) shows.set(entry.showId, [...(shows.get(entry.showId) ?? []), entry]);
  return shows;
}
