// The favourite traits of a show's judges. The scoring formula is public, so the page can compute the favourites before
// the show is judged.
import { favourites } from "./client/index.js";
import { traits } from "./words.js";

/** @typedef {import("./client/index.js").Animal} Animal */
/** @typedef {import("./client/index.js").Trait} Trait */
/** @typedef {[Trait, Trait]} Favourites */

/**
 * Returns a show's favourites: the two traits that count four times as much as others, with their weight. On a page of
 * http://, the browser cannot compute these, and the result is null.
 * @param {string} showId
 * @returns {Promise<Favourites | null>}
 */
export const lookFor = (showId) => favourites(showId).catch(() => null);

/** @param {Trait} trait */
export const label = (trait) => traits.find(([key]) => key === trait)?.[1] ?? trait;

/** "growth rate and fertility" @param {Favourites} looked */
export const both = (looked) => looked.map((trait) => label(trait).toLowerCase()).join(" and ");

/**
 * Returns how well an animal fits a show: its values in the show's two favourite traits, weighted by its condition as
 * in the score's formula. If the animal's traits or the favourites are unknown, it returns null.
 * @param {Pick<Animal, "phenotype" | "condition">} animal
 * @param {Favourites | null} looked
 */
export function fit({ phenotype, condition }, looked) {
  if (!phenotype || !looked) return null;
  return looked.reduce((sum, trait) => sum + phenotype[trait], 0) * (0.7 + (0.3 * condition) / 100);
}
