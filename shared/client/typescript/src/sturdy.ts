import type { Session, Store } from "./session.js";

/**
 * Makes a store that does not fail: where the one within throws (a full or forbidden storage), memory takes over, and
 * play goes on as long as the page or the process lives. A session of another API is none.
 */
export function sturdy(store: Store, api: string): Required<Pick<Store, "load" | "save" | "lock">> {
  let held: Session | null = null; // what the store ought to hold
  let failing = false; // it could not be told so
  return {
    async load() {
      if (failing) return held;
      try {
        const stored = await store.load();
        held = stored?.api === api ? stored : null;
      } catch {
        // What was known last counts.
      }
      return held;
    },
    async save(session) {
      held = session;
      try {
        await store.save(session);
        failing = false;
      } catch {
        failing = true;
      }
    },
    async lock(work) {
      let begun = false;
      const once = () => {
        begun = true;
        return work();
      };
      try {
        return await store.lock(once);
      } catch (error) {
        if (begun) throw error;
        return work(); // without a lock rather than not at all
      }
    },
  };
}
