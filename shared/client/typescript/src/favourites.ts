import type { Phenotype } from "./types.js";

/** The name of a trait in a phenotype. */
export type Trait = keyof Phenotype;

// In the order of docs/rules.md, S2.3.1.
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
 * Returns the two traits whose weights a show multiplies by four. It sends nothing, because the formula is public
 * (docs/scoring.md). Browsers allow the computation only on pages of https:// and of this machine.
 */
export async function favourites(showId: string): Promise<[Trait, Trait]> {
  const text = new TextEncoder().encode(`ranch/score/1/weights/${showId.toLowerCase()}`);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  const first = (hash[8] as number) % 8;
  const second = (first + 1 + ((hash[9] as number) % 7)) % 8;
  return [traits[first] as Trait, traits[second] as Trait];
}
