import { inTurn, parseSession, type Store } from "./session.js";
import { sleep } from "./waiting.js";

const settlingMs = 1_000; // after this time, every tab sees a stored change

/** The methods of a Storage that the store uses. */
export type WebStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/**
 * Keeps a session in a browser's storage, by default localStorage, and shares it between tabs. With the Web Locks API,
 * only one tab refreshes at a time. Pages without HTTPS do not have this API: two tabs may then refresh at the same
 * time, which costs one request more and does no harm.
 */
export function webStore(storage?: WebStorage, key = "ranch.session"): Store {
  // If storage is forbidden, even reading globalThis.localStorage throws. So each call reads it inside its promise.
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
      if (locks === undefined) return own(work, signal);
      return locks.request(key, signal ? { signal } : {}, async () => {
        await seeWhatIsStored(locks);
        const before = markOfStored();
        try {
          return await work();
        } finally {
          if (markOfStored() !== before) await tellWhatIsStored(locks);
        }
      });
    },
    watch(changed: () => void) {
      globalThis.addEventListener?.("storage", (event) => {
        const { key: touched, storageArea } = event as StorageEvent; // a null key means that the storage was cleared
        // The event may be out of date, so changed loads the session from the storage.
        if ((touched === key || touched === null) && isSame(storageArea)) changed();
      });
    },
  };

  // Each tab is a process of its own. It sees another tab's lock at once, but may see a stored change only later, and
  // would then refresh a fresh token. So a tab that has stored a change holds a second lock for settlingMs. This lock's
  // name has the time of the stored token. The next tab waits until it sees that time, for settlingMs at most.
  async function tellWhatIsStored(locks: LockManager): Promise<void> {
    await new Promise<void>((told) => {
      const held = () => (told(), sleep(settlingMs));
      locks.request(markOfStored(), { mode: "shared" }, held).catch(() => told());
    });
  }

  async function seeWhatIsStored(locks: LockManager): Promise<void> {
    const { held: names = [] } = (await locks.query?.()) ?? {};
    const marks = names.map(({ name }) => name).filter((name) => name?.startsWith(`${key} `));
    for (let waited = 0; marks.length > 0 && !marks.includes(markOfStored()) && waited < settlingMs; waited += 10) await sleep(10);
  }

  function markOfStored(): string {
    try {
      return `${key} ${parseSession(held().getItem(key))?.receivedAt ?? ""}`;
    } catch {
      return key; // a forbidden storage has no session
    }
  }

  function isSame(area: Storage | null): boolean {
    try {
      return area === held();
    } catch {
      return false; // a forbidden storage has no events
    }
  }
}
