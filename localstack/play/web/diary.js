// What a player has done, as far as this device knows: the ranch's name, which the service tells at log-in only, and
// the shows with own entries, which its list of shows does not tell.
import { Kept } from "./keep.js";

/** @typedef {import("./client/index.js").ShowDetail} ShowDetail */

/**
 * @typedef {object} Page a show with own entries
 * @property {string} id
 * @property {string} name
 * @property {string} tier
 * @property {string} status
 * @property {string} closes
 * @property {{ animal: string, name: string, rank: number | null }[]} own
 * @property {boolean} claimed
 */

/**
 * @typedef {object} Contents
 * @property {string} ranch
 * @property {Record<string, Page>} pages by show
 * @property {Record<string, true>} without shows that were looked at, and had no own entries
 */

const most = 200;

export class Diary {
  /**
   * @param {Storage | null} store
   * @param {string} owner
   */
  constructor(store, owner) {
    this.kept = new Kept(
      store,
      `ranch.diary.${owner}`,
      () => /** @type {Contents} */ ({ ranch: "", pages: {}, without: {} }),
    );
  }

  get ranch() {
    return this.kept.get().ranch;
  }

  /** @param {string} name */
  nameRanch(name) {
    this.kept.update((contents) => (contents.ranch = name));
  }

  /** The shows with own entries, those that close last first. */
  get pages() {
    return Object.values(this.kept.get().pages).sort((a, b) => b.closes.localeCompare(a.closes));
  }

  /**
   * @param {string} show
   * @returns {Page | undefined}
   */
  page(show) {
    const { pages } = this.kept.get();
    return Object.hasOwn(pages, show) ? pages[show] : undefined;
  }

  /** Whether it is known if there are own entries. @param {string} show */
  knows(show) {
    const { pages, without } = this.kept.get();
    return Object.hasOwn(pages, show) || Object.hasOwn(without, show);
  }

  /** Whether an own entry is known. @param {string} show @param {string} animal */
  hasEntry(show, animal) {
    return this.page(show)?.own.some((entry) => entry.animal === animal) ?? false;
  }

  /**
   * Notes what a show says of own entries.
   * @param {ShowDetail} show
   * @param {string} me
   */
  note(show, me) {
    const own = show.entries
      .filter((entry) => entry.playerId === me)
      .map((entry) => ({ animal: entry.animalId, name: entry.animalName, rank: entry.rank }));
    const claimed = show.entries.some((entry) => entry.playerId === me && entry.rewardClaimed);
    this.write(show, own, claimed);
  }

  /**
   * Notes an own entry when it is made: what the show says of it may come later, or never.
   * @param {ShowDetail} show
   * @param {{ id: string, name: string }} animal
   */
  entered(show, animal) {
    const others = (this.page(show.id)?.own ?? []).filter((entry) => entry.animal !== animal.id);
    this.write(show, [...others, { animal: animal.id, name: animal.name, rank: null }], false);
  }

  /**
   * @param {ShowDetail} show
   * @param {Page["own"]} own
   * @param {boolean} claimed
   */
  write(show, own, claimed) {
    const page = {
      id: show.id,
      name: show.name,
      tier: show.tier,
      status: show.status,
      closes: String(show.entryClosesAt),
      own,
      claimed,
    };
    const before = this.page(show.id);
    if (own.length === 0 ? this.knows(show.id) && !before : JSON.stringify(before) === JSON.stringify(page)) return;
    this.kept.update((contents) => {
      if (own.length > 0) {
        contents.pages[show.id] = page;
        delete contents.without[show.id];
      } else {
        contents.without[show.id] = true;
      }
      shorten(contents.pages);
      shorten(contents.without);
    });
  }
}

/** Forgets the first of too many. @param {Record<string, unknown>} pages */
function shorten(pages) {
  for (const id of Object.keys(pages).slice(0, -most)) delete pages[id];
}
