// The gold of a player, as far as this device knows it. The service tells the balance when somebody registers or logs
// in; from there on the purse reckons with the fees and prizes that it sees. It does not see other devices.
import { Kept } from "./keep.js";

/**
 * @typedef {object} Change
 * @property {number} amount
 * @property {string} reason
 * @property {number} at milliseconds
 * @property {string} [fee] the show whose entry fee it was
 * @property {boolean} [back] the fee has been given back
 */

/**
 * @typedef {object} Contents
 * @property {number | null} balance null where this device was never told
 * @property {boolean} doubt something may have changed that this device did not see
 * @property {Change[]} changes since the last log-in, the latest first
 */

const most = 50;

export class Purse {
  /**
   * @param {Storage | null} store
   * @param {string} owner
   */
  constructor(store, owner) {
    this.kept = new Kept(
      store,
      `ranch.purse.${owner}`,
      () => /** @type {Contents} */ ({ balance: null, doubt: false, changes: [] }),
    );
    // Whether the balance was told to this page, and not to one before it.
    this.told = false;
  }

  get balance() {
    return this.kept.get().balance;
  }

  get changes() {
    return this.kept.get().changes;
  }

  /** Whether there may be more or less in it. */
  get unsure() {
    return !this.told || this.kept.get().doubt;
  }

  /**
   * Begins with what the service says.
   * @param {number} balance
   */
  begin(balance) {
    this.told = true;
    this.kept.update((contents) => Object.assign(contents, { balance, doubt: false, changes: [] }));
  }

  /**
   * @param {number} amount
   * @param {string} reason
   * @param {{ fee?: string }} [of]
   */
  change(amount, reason, of = {}) {
    if (amount === 0) return;
    this.kept.update((contents) => {
      if (contents.balance !== null) contents.balance = Math.max(0, contents.balance + amount);
      contents.changes = [{ amount, reason, at: Date.now(), ...of }, ...contents.changes].slice(0, most);
    });
  }

  /**
   * Takes back the fees of a show that was cancelled, each of them once.
   * @param {string} show
   * @param {string} reason
   */
  refund(show, reason) {
    /** @param {Change} change */
    const due = (change) => change.fee === show && !change.back;
    const sum = this.changes.filter(due).reduce((total, change) => total - change.amount, 0);
    if (sum === 0) return;
    this.kept.update((contents) => contents.changes.filter(due).forEach((change) => (change.back = true)));
    this.change(sum, reason);
  }

  /** Says that something may have changed unseen. */
  doubt() {
    this.kept.update((contents) => (contents.doubt = true));
  }
}
