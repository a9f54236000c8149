import { inTurn, parseSession, type Store } from "./session.js";
import { sleep } from "./waiting.js";

const settlingMs = 1_000; // by then every tab sees what one has stored

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
        const { key: touched, storageArea } = event as StorageEvent; // a null key: all is cleared
        // What it says has become may be over by now: changed looks.
        if ((touched === key || touched === null) && isSame(storageArea)) changed();
      });
    },
  };

  // Tabs are processes of their own. Each sees a lock of another at once, and what another has stored only in a moment:
  // the next tab in turn might refresh what is fresh. So a tab that has stored something holds, for that moment, a lock
  // whose name says what, and the next in turn waits until it sees that.
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
      return key; // a storage that is forbidden has nothing
    }
  }

  function isSame(area: Storage | null): boolean {
    try {
      return area === held();
    } catch {
      return false; // a storage that is forbidden tells nothing
    }
  }
}
