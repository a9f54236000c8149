import type { Phenotype } from "./types.js";

/** A trait, by its name in a phenotype. */
export type Trait = keyof Phenotype;

// In the contract's order.
const traits: readonly Trait[] = [
  "weightScore",
  "milkYieldScore",
  "growthRateScore",
  "temperamentScore",
  "coatQualityScore",
  "fertilityScore",
  "hardinessScore",
  "showPotentialScore",
];

/**
 * The two traits that count four times as much in a show as others of their weight. It sends nothing: the formula is
 * published (docs/scoring.md). Browsers can reckon it in pages of https:// and of this machine alone.
 */
export async function favourites(showId: string): Promise<[Trait, Trait]> {
  const text = new TextEncoder().encode(`ranch/score/1/weights/${showId.toLowerCase()}`);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  const first = (hash[8] as number) % 8;
  const second = (first + 1 + ((hash[9] as number) % 7)) % 8;
  return [traits[first] as Trait, traits[second] as Trait];
}
