// The keys that were made up for guests, kept beside the session until the guest logs out: nobody else has them.
import { Kept } from "./keep.js";

/** @typedef {{ email: string, password: string }} Keys */

export class Keyring {
  /**
   * @param {Storage | null} store
   * @param {string} api
   */
  constructor(store, api) {
    this.kept = new Kept(store, `ranch.guests.${api}`, () => /** @type {Record<string, Keys>} */ ({}));
  }

  /** @param {string} player @returns {Keys | null} null of whoever is no guest of this device */
  of(player) {
    const all = this.kept.get();
    return Object.hasOwn(all, player) ? all[player] : null;
  }

  /** Those of the latest guest, null where there is none. @returns {Keys | null} */
  get last() {
    return Object.values(this.kept.get()).at(-1) ?? null;
  }

  /**
   * @param {string} player
   * @param {Keys} keys
   */
  keep(player, keys) {
    this.kept.update((all) => (all[player] = keys));
  }

  /** @param {string} player */
  forget(player) {
    this.kept.update((all) => delete all[player]);
  }
}
