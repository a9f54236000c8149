// What is paid for the ranks 1 to 3. The service says it in the answer to a claim: this is for one that was lost.
const prizes: Readonly<Record<string, readonly number[]>> = {
  rookie: [100, 60, 30],
  pro: [400, 200, 100],
  elite: [1500, 750, 300],
};

/** The gold for a rank in a show of a tier; 0 where there is none. */
export function prize(tier: string, rank: number | null): number {
  return rank === null || !Object.hasOwn(prizes, tier) ? 0 : (prizes[tier]?.[rank - 1] ?? 0);
}
