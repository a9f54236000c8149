import type { Claimed, Entered, Judged, OwnEntry, ShowDetail, Winner } from "./types.js";

// If the answer to a change got lost, these functions make the answer from the show or the caller's entries. They
// return null if the change is not there.

/** own: the caller's entries in the show. */
export function enteredBy(animal: string, own: readonly OwnEntry[]): Entered | null {
  const entry = own.find((e) => e.animalId.toLowerCase() === animal.toLowerCase()); // the service accepts ids in any case
  if (entry === undefined || entry.showStatus === "cancelled") return null; // a cancelled show returns the fee
  const message = `${entry.animalName} entered in ${entry.showName}!`;
  return { success: true, message, entryFee: entry.entryFee, resolved: true };
}

export function judged(show: ShowDetail): Judged | null {
  if (show.status !== "completed") return null;
  const ranked: Winner[] = show.entries.flatMap(({ rank, playerId, animalId, score }) =>
    rank === null ? [] : [{ rank, playerId, animalId, score: score ?? 0 }],
  );
  const message = `Show judged. ${ranked.length} entries.`;
  return { success: true, message, topThree: ranked.slice(0, 3), resolved: true };
}

/** own: the caller's entries in the show. */
export function claimedBy(own: readonly OwnEntry[]): Claimed | null {
  if (!own.some((e) => e.rewardClaimed)) return null;
  const ranks = own.flatMap((e) => e.rank ?? []);
  const rank = ranks.length === 0 ? null : Math.min(...ranks);
  const goldReward = Math.max(...own.map((e) => e.goldReward ?? 0));
  const message =
    goldReward > 0 ? `You received ${goldReward} gold for rank ${rank}!` : "No reward for this placement.";
  return { success: true, rank, goldReward, message, resolved: true };
}
