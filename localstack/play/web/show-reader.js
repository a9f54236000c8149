// Reads a show. It never requests a large show as a whole: GET /events/shows/{id} returns every entry, which is
// megabytes for 10,000 entries.
import { lookFor } from "./judges.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./client/index.js").Entry} Entry */
/** @typedef {import("./client/index.js").OwnEntry} OwnEntry */
/** @typedef {import("./client/index.js").ListedShow} ListedShow */

/**
 * The part of a show that a ticket has.
 * @typedef {Pick<ListedShow, "id" | "name" | "tier" | "entryFee" | "entryClosesAt" | "judgedAt" | "status">} Head
 */

/**
 * @typedef {object} Sight
 * @property {Head} head
 * @property {import("./judges.js").Favourites | null} looked
 * @property {OwnEntry[]} own the player's entries in it
 * @property {{ items: Entry[], next: boolean }} first the first page of entries, by rank once it is judged
 * @property {number | null} count of entries; null if there are more than a page and no list had the count
 */

/**
 * Reads a show with two requests at once: the first page of its entries, and the player's own. The player's entries
 * contain the show's head; if there are none, headOf reads the head. If a judging happens between the two answers,
 * readShow sends both requests once more.
 * @param {Game} game
 * @param {string} id
 * @param {AbortSignal} [signal]
 * @returns {Promise<Sight>}
 */
export async function readShow(game, id, signal) {
  const { client } = game;
  for (let again = true; ; again = false) {
    const asked = all(client.eachOwnEntry({ show: id, limit: 50 }, { signal }));
    asked.catch(() => {}); // if the show is unknown, the request for its entries says so
    const first = await client.showEntries(id, {}, { signal });
    const own = await asked;
    const ofOwn = own.length > 0 && { head: headOfOwn(own[0]), items: first.items };
    const { head, items } = ofOwn || (await headOf(game, id, first, signal));
    const ranked = items.some(({ rank }) => rank !== null);
    if (again && items.length > 0 && ranked !== (head.status === "completed")) continue;
    const count = first.next ? (game.tickets.get(head.id)?.entryCount ?? null) : items.length;
    return { head, looked: await lookFor(head.id), own, first: { items, next: first.next }, count };
  }
}

/**
 * Returns the head of a show in which the player has no entries. If the first page has all entries, headOf requests the
 * whole show, which is small. Otherwise it looks for the show in the lists, first in the list of its last known status.
 * @param {Game} game
 * @param {string} id
 * @param {{ items: Entry[], next: boolean }} first
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ head: Head, items: Entry[] }>}
 */
async function headOf(game, id, { items, next }, signal) {
  if (!next) {
    const { entries, ...head } = await game.client.show(id, { signal });
    return { head, items: entries };
  }
  const seen = game.tickets.get(id.toLowerCase())?.status ?? "open";
  for (const status of new Set([seen, "open", "completed", "cancelled"])) {
    for await (const show of game.client.eachShow({ status }, { signal })) {
      game.tickets.set(show.id, show);
      if (show.id === id.toLowerCase()) return { head: show, items };
    }
  }
  throw new Error(`the show ${id} has entries and is in no list`); // its status has changed meanwhile
}

/**
 * @param {OwnEntry} entry
 * @returns {Head}
 */
export const headOfOwn = ({ showId, showName, tier, entryFee, entryClosesAt, judgedAt, showStatus }) => ({
  id: showId,
  name: showName,
  tier,
  entryFee,
  entryClosesAt,
  judgedAt,
  status: showStatus,
});

/**
 * @template T
 * @param {AsyncIterable<T>} items
 * @returns {Promise<T[]>}
 */
export async function all(items) {
  const list = [];
  for await (const item of items) list.push(item);
  return list;
}
