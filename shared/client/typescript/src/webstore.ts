import { inTurn, parseSession, type Store } from "./session.js";

/** What is used of a Storage. */
export type WebStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/**
 * Keeps a session in a browser's storage, localStorage if not said, and shares it between tabs: they refresh in turn by
 * the Web Locks API. Where that is not (pages that did not come by HTTPS), each tab has its own turns, and two tabs may
 * refresh at the same time: that costs a request, and neither loses its session.
 */
export function webStore(storage?: WebStorage, key = "ranch.session"): Store {
  // Where storage is forbidden, already its mention throws: that is left to the calls.
  const held = () => storage ?? globalThis.localStorage;
  const own = inTurn();
  return {
    load: async () => parseSession(held().getItem(key)),
    update: async (change) => {
      const current = parseSession(held().getItem(key));
      const next = change(current);
      if (next === current) return;
      if (next === null) held().removeItem(key);
      else held().setItem(key, JSON.stringify(next));
    },
    lock: async <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
      const locks = (globalThis.navigator as Partial<Navigator> | undefined)?.locks;
      return locks === undefined ? own(work, signal) : locks.request(key, signal ? { signal } : {}, work);
    },
    watch(changed: () => void) {
      globalThis.addEventListener?.("storage", (event) => {
        const { key: touched, storageArea } = event as StorageEvent; // a null key: all is cleared
        // What it says has become may be over by now: changed looks.
        if ((touched === key || touched === null) && isSame(storageArea)) changed();
      });
    },
  };

  function isSame(area: Storage | null): boolean {
    try {
      return area === held();
    } catch {
      return false; // a storage that is forbidden tells nothing
    }
  }
}
