// A show on the board, as a ticket: its stub has the tier.
import { freshId, h, name, put } from "../dom.js";
import { capital, fee, gold, moment, ordinal, plural, prize, prizesOf, status } from "../words.js";
import { countdown } from "./countdown.js";

/** @typedef {import("../client/index.js").ListedShow} ListedShow */
/** @typedef {import("../diary.js").Page} Page */
/** @typedef {import("../game.js").Game} Game */

/** The class of a tier's colours. @param {string} tier */
export const tierClass = (tier) => `tier-${prizesOf(tier).length > 0 ? tier : "other"}`;

/**
 * @param {ListedShow} show
 * @param {Page | undefined} page own entries
 * @param {Game} game
 * @param {AbortSignal} signal
 */
export function ticket(show, page, game, signal) {
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
        page && h("p", { class: "own-mark" }, ownLine(page)),
      ),
    ),
  );
}

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
  if (show.status === "open" && new Date(show.entryClosesAt).getTime() > game.client.serverTime()) {
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
 * What becomes of own entries, in a line.
 * @param {Page} page
 */
export function ownLine(page) {
  const names = page.own.map((entry) => entry.name).join(", ");
  if (page.status === "cancelled") return `${names}: cancelled, the fee is back`;
  if (page.status !== "completed") return `Entered: ${names}`;
  const won = toClaim(page);
  const ranked = page.own
    .map(({ name, rank }) => (rank === null ? `${name} not ranked` : `${name} ${ordinal(rank)}`))
    .join(", ");
  return won > 0 ? `${ranked}: a prize of ${gold(won)} waits` : ranked;
}

/**
 * The best rank of own entries, null where there is none.
 * @param {Page} page
 */
export function bestRank(page) {
  const ranks = page.own.map((entry) => entry.rank).filter((rank) => rank !== null);
  return ranks.length > 0 ? Math.min(...ranks) : null;
}

/**
 * What a judged show still owes for own entries.
 * @param {Page} page
 */
export function toClaim(page) {
  if (page.status !== "completed" || page.claimed) return 0;
  return prize(page.tier, bestRank(page));
}
