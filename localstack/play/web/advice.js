// Advice for a player: which animal is best for a show, which shows come first, and which show could be next.
import { fit } from "./judges.js";
import { unfit } from "./words.js";

/** @typedef {import("./client/index.js").Animal} Animal */
/** @typedef {import("./client/index.js").OwnEntry} OwnEntry */
/** @typedef {import("./game.js").BoardShow} BoardShow */
/** @typedef {import("./game.js").Game} Game */

/** A show that closes sooner is not offered as the next: the player could not enter in time. */
const soonest = 30_000;

/**
 * Returns the animals with their fit to a show, and with the reason if one may not enter. Those that may enter come
 * first, the one that fits best at the top.
 * @param {Animal[]} animals
 * @param {import("./judges.js").Favourites | null} looked
 * @param {OwnEntry[]} own the player's entries in the show
 */
export function byFit(animals, looked, own) {
  const inside = new Set(own.map(({ animalId }) => animalId));
  return animals
    .map((animal) => ({
      animal,
      why: inside.has(animal.id) ? "Is in this show already." : unfit(animal),
      fit: fit(animal, looked),
    }))
    .sort((a, b) => Number(a.why !== null) - Number(b.why !== null) || (b.fit ?? 0) - (a.fit ?? 0));
}

/**
 * Returns the player's best animal for a show, or null if none may enter or the favourite traits are unknown.
 * @param {Parameters<typeof byFit>} of
 */
export function bestFor(...of) {
  const [best] = byFit(...of);
  return best && best.why === null && best.fit !== null ? best.animal : null;
}

/**
 * Whether a show accepts entries, by the service's clock.
 * @param {{ status: string, entryClosesAt: string }} show
 * @param {Game} game
 * @param {number} [within] for at least so many milliseconds
 */
export const isEnterable = ({ status, entryClosesAt }, game, within = 0) =>
  status === "open" && new Date(entryClosesAt).getTime() > game.client.serverTime() + within;

/** Whether the fee is more than the player has. @param {{ entryFee: number }} show @param {Game} game */
export const isTooDear = ({ entryFee }, game) => (game.gold.value ?? Infinity) < entryFee;

/**
 * Returns the shows in the service's order, by closing time, but with those that accept no more entries last. To a
 * newcomer, a player without an entry, rookie shows come first.
 * @param {BoardShow[]} shows
 * @param {Game} game
 */
export function inOrder(shows, game) {
  const newcomer = game.own.value?.items.length === 0;
  const rank = (/** @type {BoardShow} */ show) => {
    if (show.status === "open" && !isEnterable(show, game)) return 2;
    return newcomer && show.tier !== "rookie" ? 1 : 0;
  };
  return [...shows].sort((a, b) => rank(a) - rank(b));
}

/**
 * Returns a show that the player can enter and pay, or undefined if there is none.
 * @param {BoardShow[]} shows
 * @param {Game} game
 */
export function nextShow(shows, game) {
  const entered = new Set(game.own.value?.items.map(({ showId }) => showId));
  return inOrder(shows, game).find(
    (show) => isEnterable(show, game, soonest) && !isTooDear(show, game) && !entered.has(show.id),
  );
}
