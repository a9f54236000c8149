// The favourite traits of a show's judges. The scoring formula is public, so that the page can compute them before the
// show is judged.
import { favourites } from "./client/index.js";
import { traits } from "./words.js";

/** @typedef {import("./client/index.js").Animal} Animal */
/** @typedef {import("./client/index.js").Trait} Trait */
/** @typedef {[Trait, Trait]} Favourites */

/**
 * Returns the two traits that count four times as much as others with their weight, or null if the browser cannot
 * compute them, as on pages of http://.
 * @param {string} showId
 * @returns {Promise<Favourites | null>}
 */
export const lookFor = (showId) => favourites(showId).catch(() => null);

/** @param {Trait} trait */
export const label = (trait) => traits.find(([key]) => key === trait)?.[1] ?? trait;

/** "growth rate and fertility" @param {Favourites} looked */
export const both = (looked) => looked.map((trait) => label(trait).toLowerCase()).join(" and ");

/**
 * Returns how well an animal fits: the sum of its two favourite traits and of its condition, as the formula counts it.
 * Null if its traits are unknown.
 * @param {Pick<Animal, "phenotype" | "condition">} animal
 * @param {Favourites | null} looked
 */
export function fit({ phenotype, condition }, looked) {
  if (!phenotype || !looked) return null;
  return looked.reduce((sum, trait) => sum + phenotype[trait], 0) * (0.7 + (0.3 * condition) / 100);
}
