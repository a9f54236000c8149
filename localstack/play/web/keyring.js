// The keys of guests: e-mail addresses and passwords that the page has made up. Only this device has a guest's keys,
// until the guest logs out.
import { Kept } from "./keep.js";

/** @typedef {{ email: string, password: string, username?: string }} Keys keys kept by earlier versions have no name */

export class Keyring {
  /**
   * @param {Storage | null} store
   * @param {string} api
   */
  constructor(store, api) {
    this.kept = new Kept(store, `ranch.guests.${api}`, () => /** @type {Record<string, Keys>} */ ({}));
  }

  /** @param {string} player @returns {Keys | null} null if the player is no guest of this device */
  of(player) {
    const all = this.kept.get();
    return Object.hasOwn(all, player) ? all[player] : null;
  }

  /** The guests of this device and their keys, the latest first. @returns {[player: string, keys: Keys][]} */
  get all() {
    return Object.entries(this.kept.get()).reverse();
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
