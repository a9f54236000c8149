import { inTurn, parseSession, type Store } from "./session.js";
import { sleep } from "./waiting.js";

const settlingMs = 1_000; // by then, every tab sees a stored change

/** The methods of a Storage that the store uses. */
export type WebStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/**
 * Keeps a session in a browser's storage, by default localStorage, and shares it between tabs. The tabs refresh one at
 * a time by the Web Locks API. Pages without HTTPS do not have that. Two tabs may then refresh at the same time, which
 * costs a request and no session.
 */
export function webStore(storage?: WebStorage, key = "ranch.session"): Store {
  // If storage is forbidden, even reading the name throws. So it is read inside each call.
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
        const { key: touched, storageArea } = event as StorageEvent; // a null key: the storage was cleared
        // The event may be out of date: changed looks at the storage itself.
        if ((touched === key || touched === null) && isSame(storageArea)) changed();
      });
    },
  };

  // Each tab is a process of its own. It sees another tab's lock at once, but a stored change only a moment later. The
  // next tab could then refresh a token that is fresh. So a tab that has stored something holds a second lock for that
  // moment, whose name says what was stored. The next tab waits until it sees that.
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
      return key; // a forbidden storage has nothing
    }
  }

  function isSame(area: Storage | null): boolean {
    try {
      return area === held();
    } catch {
      return false; // a forbidden storage reports nothing
    }
  }
}
