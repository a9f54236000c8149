// Values that this device keeps besides the session, as JSON under a key.

/**
 * Returns the browser's storage, or null if the browser does not let the page use it.
 * @returns {Storage | null}
 */
export function storage() {
  try {
    const probe = "ranch.probe";
    localStorage.setItem(probe, "1");
    localStorage.removeItem(probe);
    return localStorage;
  } catch {
    return null;
  }
}

/**
 * A value in the browser's storage. If there is no storage, the page forgets the value when it is closed.
 * @template T
 */
export class Kept {
  /** @type {string | null} */
  #text = null;

  /**
   * @param {Storage | null} store
   * @param {string} key
   * @param {() => T} empty
   */
  constructor(store, key, empty) {
    this.store = store;
    this.key = key;
    this.empty = empty;
  }

  /** @returns {T} */
  get() {
    try {
      const text = this.store ? this.store.getItem(this.key) : this.#text;
      return text === null ? this.empty() : { ...this.empty(), ...JSON.parse(text) };
    } catch {
      return this.empty();
    }
  }

  /**
   * Changes the stored value, which another tab may have changed since it was read.
   * @param {(value: T) => void} change
   */
  update(change) {
    const value = this.get();
    change(value);
    this.#text = JSON.stringify(value);
    try {
      this.store?.setItem(this.key, this.#text);
    } catch {
      this.store = null; // the storage is full: from here on the value lives as long as the page
    }
  }
}
