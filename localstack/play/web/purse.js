// The gold of a player, as far as this device knows it. The service tells the balance when somebody registers or logs
// in; from there on the purse reckons with the fees and prizes that it sees. It does not see other devices.
import { Kept } from "./keep.js";

/**
 * @typedef {object} Change
 * @property {string} key what was paid, each once: feeKey, prizeKey, or of a show's fees that came back
 * @property {number} n counts the changes of this device
 * @property {number} amount
 * @property {string} reason
 * @property {number} at milliseconds
 * @property {string} [fee] the show whose entry fee it was
 * @property {boolean} [back] the fee has been given back
 */

/**
 * @typedef {object} Attempt a change that was asked for
 * @property {number} amount
 * @property {string} reason
 * @property {string} [fee]
 * @property {boolean} unknown its answer was lost for good
 */

/**
 * @typedef {object} Contents
 * @property {number | null} balance null where this device was never told
 * @property {boolean} doubt something may have changed that this device did not see
 * @property {number} count of changes, ever
 * @property {Change[]} changes since the last log-in, the latest first
 * @property {Record<string, true>} counted what was paid, by key
 * @property {Record<string, Attempt>} attempts what may have been paid since the last log-in, by key
 */

const most = 50;
const mostKeys = 500;

/** @param {string} show @param {string} animal */
export const feeKey = (show, animal) => `fee:${show}:${animal}`;

/** @param {string} show */
export const prizeKey = (show) => `prize:${show}`;

export class Purse {
  /**
   * @param {Storage | null} store
   * @param {string} owner
   */
  constructor(store, owner) {
    this.kept = new Kept(
      store,
      `ranch.purse.${owner}`,
      () =>
        /** @type {Contents} */ ({ balance: null, doubt: false, count: 0, changes: [], counted: {}, attempts: {} }),
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
    const { doubt, attempts } = this.kept.get();
    return !this.told || doubt || Object.values(attempts).some(({ unknown }) => unknown);
  }

  /** @param {string} key */
  knows(key) {
    return Object.hasOwn(this.kept.get().counted, key);
  }

  /**
   * Begins with what the service says: all that was paid until now is in it.
   * @param {number} balance
   */
  begin(balance) {
    this.told = true;
    this.kept.update((contents) => Object.assign(contents, { balance, doubt: false, changes: [], attempts: {} }));
  }

  /**
   * Remembers what is about to be asked for: what becomes of it may be seen later only.
   * @param {string} key
   * @param {{ amount: number, reason: string, fee?: string }} attempt
   */
  attempt(key, attempt) {
    this.kept.update(({ attempts }) => {
      attempts[key] = { ...attempt, unknown: Object.hasOwn(attempts, key) && attempts[key].unknown };
    });
  }

  /** The answer to an attempt was lost. @param {string} key */
  lose(key) {
    this.kept.update(({ attempts }) => {
      if (Object.hasOwn(attempts, key)) attempts[key].unknown = true;
    });
  }

  /** An attempt was refused: if one before it was lost, that may have been made all the same. @param {string} key */
  refuse(key) {
    this.kept.update(({ attempts }) => {
      if (Object.hasOwn(attempts, key) && !attempts[key].unknown) delete attempts[key];
    });
  }

  /** Whether there is an attempt of which nothing has been heard. @param {string} key */
  awaits(key) {
    return Object.hasOwn(this.kept.get().attempts, key);
  }

  /** Whether the answer to an attempt was lost for good. @param {string} key */
  isLost(key) {
    const { attempts } = this.kept.get();
    return Object.hasOwn(attempts, key) && attempts[key].unknown;
  }

  /**
   * An attempt has been made: it is counted, once.
   * @param {string} key
   * @param {number} [amount] what the service says that it was
   */
  settle(key, amount) {
    const { attempts } = this.kept.get();
    if (!Object.hasOwn(attempts, key)) return;
    const { unknown: _, ...attempt } = attempts[key];
    this.kept.update((contents) => {
      delete contents.attempts[key];
      count(contents, { ...attempt, key, amount: amount ?? attempt.amount });
    });
  }

  /**
   * What was attempted was there before the attempt: whether it is in the balance, this device may not know.
   * @param {string} key
   */
  mistrust(key) {
    this.kept.update((contents) => {
      delete contents.attempts[key];
      contents.doubt ||= !Object.hasOwn(contents.counted, key);
    });
  }

  /**
   * Takes back the fees of a show that was cancelled, each of them once. Those that were paid before the last log-in
   * are none of them: what the log-in said may have had them back already.
   * @param {string} show
   * @param {string} reason
   */
  refund(show, reason) {
    /** @param {Change} change */
    const due = (change) => change.fee === show && !change.back;
    if (!this.changes.some(due)) return;
    this.kept.update((contents) => {
      const fees = contents.changes.filter(due);
      for (const change of fees) change.back = true;
      const amount = fees.reduce((total, change) => total - change.amount, 0);
      count(contents, { key: `back:${fees.map(({ key }) => key).join()}`, amount, reason });
    });
  }

  /** Whether a fee was paid since the last log-in. @param {string} key */
  paid(key) {
    return this.changes.some((change) => change.key === key);
  }

  /** Says that something may have changed unseen. */
  doubt() {
    if (!this.kept.get().doubt) this.kept.update((contents) => (contents.doubt = true));
  }
}

/**
 * @param {Contents} contents
 * @param {{ key: string, amount: number, reason: string, fee?: string }} change
 */
function count(contents, change) {
  if (Object.hasOwn(contents.counted, change.key)) return;
  contents.counted[change.key] = true;
  for (const key of Object.keys(contents.counted).slice(0, -mostKeys)) delete contents.counted[key];
  if (change.amount === 0) return;
  contents.count++;
  if (contents.balance !== null) contents.balance = Math.max(0, contents.balance + change.amount);
  contents.changes = [{ ...change, n: contents.count, at: Date.now() }, ...contents.changes].slice(0, most);
}
