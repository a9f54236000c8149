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
  const top = entries.filter((entry) => entry.rank !== null && entry.rank <= 3);
  if (top.length === 0) return null;
  return h(
    "ol",
    { class: fresh ? "podium rising" : "podium", role: "list", "aria-label": "Podium" },
    ...top.map((entry) => step(entry, tier, entry.playerId === me)),
  );
}

/**
 * @param {Entry} entry
 * @param {string} tier
 * @param {boolean} own
 */
function step(entry, tier, own) {
  const rank = entry.rank ?? 0;
  const won = prize(tier, rank);
  return h(
    "li",
    { class: `step step-${rank} ${own ? "own" : ""}` },
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
