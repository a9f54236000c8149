// Answers of the service that several parts of the page show. Each has the last answer, and says whether it is current.
import { isAbort } from "./errors.js";

/**
 * @template T
 * @callback Ask
 * @param {T | undefined} known the last answer
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */

/** @template T */
export class Live {
  /** The last answer. @type {T | undefined} */
  value;
  /** Whether the last request failed, so that the value may be out of date. */
  failed = false;
  /** @type {Promise<void>} */
  #latest = Promise.resolve();
  /** @type {Set<() => void>} */
  #watchers = new Set();

  /** @param {Ask<T>} ask */
  constructor(ask) {
    this.ask = ask;
  }

  /**
   * Requests the answer and keeps it. If requests overlap, the last one counts, and the others end with it.
   * @param {AbortSignal} [signal]
   * @param {Ask<T>} [ask]
   * @returns {Promise<void>}
   */
  read(signal, ask = this.ask) {
    /** @type {Promise<void>} */
    const mine = ask(this.value, signal).then(
      (value) => (this.#latest === mine ? this.set(value) : this.#latest),
      (error) => {
        if (this.#latest !== mine) return this.#latest;
        if (!isAbort(error)) this.#keep(this.value, true);
        throw error;
      },
    );
    return (this.#latest = mine);
  }

  /** Keeps a value that another answer had. @param {T} value */
  set(value) {
    this.#keep(value, false);
  }

  /**
   * Calls after each answer and each failure, until the signal is aborted.
   * @param {() => void} watcher
   * @param {AbortSignal} signal
   */
  watch(watcher, signal) {
    this.#watchers.add(watcher);
    signal.addEventListener("abort", () => this.#watchers.delete(watcher));
  }

  /**
   * @param {T | undefined} value
   * @param {boolean} failed
   */
  #keep(value, failed) {
    this.value = value;
    this.failed = failed;
    for (const watcher of [...this.#watchers]) watcher();
  }
}

/**
 * The part of a list that the page has loaded so far.
 * @template T
 * @typedef {object} Pages
 * @property {T[]} items
 * @property {boolean} next whether the service has more items
 * @property {number} count of pages
 */

/**
 * A list that the service returns in pages.
 * @template {{ id: string }} T
 * @extends {Live<Pages<T>>}
 */
export class Paged extends Live {
  /** @param {(after: string | undefined, signal?: AbortSignal) => Promise<{ items: T[], next: boolean }>} page */
  constructor(page) {
    super(async (known, signal) => {
      let pages = await add(page, undefined, signal);
      while (pages.next && pages.count < (known?.count ?? 1)) pages = await add(page, pages, signal);
      return pages;
    });
    this.page = page;
  }

  /** Loads one more page. @param {AbortSignal} signal */
  more(signal) {
    return this.read(signal, (known) => add(this.page, known, signal));
  }
}

/**
 * @template {{ id: string }} T
 * @param {(after: string | undefined, signal?: AbortSignal) => Promise<{ items: T[], next: boolean }>} page
 * @param {Pages<T> | undefined} known
 * @param {AbortSignal} [signal]
 * @returns {Promise<Pages<T>>}
 */
async function add(page, known, signal) {
  const { items, next } = await page(known?.items.at(-1)?.id, signal);
  return { items: [...(known?.items ?? []), ...items], next, count: (known?.count ?? 0) + 1 };
}
