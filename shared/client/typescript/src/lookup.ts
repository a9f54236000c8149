import { prize } from "./prize.js";
import type { Claimed, Entered, Judged, ShowDetail, Winner } from "./types.js";

// What a show tells of a change whose answer was lost: the answer that it would have been, or null where the change is
// not to be seen.

export function enteredBy(player: string, animal: string, show: ShowDetail): Entered | null {
  if (show.status === "cancelled") return null; // its fee has come back
  const entry = show.entries.find((e) => isSame(e.playerId, player) && isSame(e.animalId, animal));
  if (entry === undefined) return null;
  const message = `${entry.animalName} entered in ${show.name}!`;
  return { success: true, message, entryFee: show.entryFee, resolved: true };
}

export function judged(show: ShowDetail): Judged | null {
  if (show.status !== "completed") return null;
  const ranked: Winner[] = show.entries.flatMap(({ rank, playerId, animalId, score }) =>
    rank === null ? [] : [{ rank, playerId, animalId, score: score ?? 0 }],
  );
  const message = `Show judged. ${ranked.length} entries.`;
  return { success: true, message, topThree: ranked.slice(0, 3), resolved: true };
}

export function claimedBy(player: string, show: ShowDetail): Claimed | null {
  const best = show.entries.find((e) => isSame(e.playerId, player)); // entries are in the order of their ranks
  if (!best?.rewardClaimed) return null;
  const goldReward = prize(show.tier, best.rank);
  const message =
    goldReward > 0 ? `You received ${goldReward} gold for rank ${best.rank}!` : "No reward for this placement.";
  return { success: true, rank: best.rank, goldReward, message, resolved: true };
}

// Ids are taken in any case, and answered in lower case.
function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
