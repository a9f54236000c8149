// What a show's judges look for. The scoring formula is published, so that it can be reckoned beforehand.
import { favourites } from "./client/index.js";
import { traits } from "./words.js";

/** @typedef {import("./client/index.js").Animal} Animal */
/** @typedef {import("./client/index.js").Trait} Trait */
/** @typedef {[Trait, Trait]} Favourites */

/**
 * The two traits that count four times as much as others of their weight; null if the browser cannot reckon them, as in
 * pages of http://.
 * @param {string} showId
 * @returns {Promise<Favourites | null>}
 */
export const lookFor = (showId) => favourites(showId).catch(() => null);

/** @param {Trait} trait */
export const label = (trait) => traits.find(([key]) => key === trait)?.[1] ?? trait;

/** "growth rate and fertility" @param {Favourites} looked */
export const both = (looked) => looked.map((trait) => label(trait).toLowerCase()).join(" and ");

/**
 * How well an animal fits: its two traits, and its condition as the formula counts it. Null if its traits are unknown.
 * @param {Pick<Animal, "phenotype" | "condition">} animal
 * @param {Favourites | null} looked
 */
export function fit({ phenotype, condition }, looked) {
  if (!phenotype || !looked) return null;
  return looked.reduce((sum, trait) => sum + phenotype[trait], 0) * (0.7 + (0.3 * condition) / 100);
}
