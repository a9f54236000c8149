import { inTurn, parseSession, type Session, type Store } from "./session.js";

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
    save: async (session) => (session === null ? held().removeItem(key) : held().setItem(key, JSON.stringify(session))),
    lock: async <T>(work: () => Promise<T>): Promise<T> => {
      const locks = (globalThis.navigator as Partial<Navigator> | undefined)?.locks;
      return locks === undefined ? own(work) : locks.request(key, work);
    },
    watch(changed: (session: Session | null) => void) {
      globalThis.addEventListener?.("storage", (event) => {
        const { key: touched, newValue } = event as StorageEvent; // a null key: all is cleared
        if (touched === key || touched === null) changed(parseSession(newValue));
      });
    },
  };
}
