// The first three of a judged show. After a judging they step up one after the other; for screen readers, all of it is
// there from the start.
import { rankRibbon } from "../art/icons.js";
import { h, name } from "../dom.js";
import { optional } from "../optional.js";
import { ordinal, gold, prize } from "../words.js";
import { framed } from "./animal-card.js";

/** @typedef {import("../client/index.js").Entry} Entry */

/**
 * @param {Entry[]} entries in the order of their ranks
 * @param {string} tier
 * @param {string} me
 * @param {boolean} fresh judged just now
 */
export function podium(entries, tier, me, fresh) {
  const top = placed(entries);
  if (top.length === 0) return null;
  const free = [1, 2, 3].filter((rank) => top.every((entry) => entry.rank !== rank));
  return h(
    "ol",
    { class: fresh ? "podium rising" : "podium", role: "list", "aria-label": "Podium" },
    ...top.map((entry, i) => step(entry, tier, entry.playerId === me, top.length - 1 - i)),
    ...free.map((rank) =>
      h("li", { class: `step step-${rank} free`, "aria-hidden": "true" }, h("div", { class: "step-block" }, rankRibbon(rank))),
    ),
  );
}

/** The entries on the podium. @param {Entry[]} entries */
export const placed = (entries) => entries.filter(({ rank }) => rank !== null && rank <= 3);

/**
 * @param {Entry} entry
 * @param {string} tier
 * @param {boolean} own
 * @param {number} turn how many step up before it
 */
function step(entry, tier, own, turn) {
  const rank = entry.rank ?? 0;
  const won = prize(tier, rank);
  return h(
    "li",
    { class: `step step-${rank} turn-${turn} ${own ? "own" : ""}` },
    h(
      "div",
      { class: "step-who" },
      framed({ id: entry.animalId, breed: entry.breed }, entry.rarityTier),
      h("p", { class: "step-animal" }, h("span", { class: "unseen" }, `${ordinal(rank)}: `), name(entry.animalName)),
      h(
        "p",
        { class: "muted step-player" },
        name(entry.playerUsername),
        own && h("span", { class: "own-tag" }, "yours"),
      ),
      h("p", { class: "step-score" }, entry.score === null ? "0.00" : entry.score.toFixed(2)),
    ),
    h(
      "div",
      { class: "step-block" },
      rankRibbon(rank),
      h("span", { class: "step-prize" }, won > 0 ? gold(won) : "honour"),
    ),
  );
}

/** Resolves when the podium's animation has ended. */
export async function settled() {
  const moving = optional(() => document.querySelector(".podium")?.getAnimations({ subtree: true })) ?? [];
  await Promise.allSettled(moving.map(({ finished }) => finished));
}
