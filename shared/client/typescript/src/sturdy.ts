import type { Session, Store } from "./session.js";
import { unlessAborted } from "./waiting.js";

/** A store that does not fail. The caller makes one call at a time, except for lock. */
export interface Sturdy {
  load(): Promise<Session | null>;
  /** Updates as Store.update does, but always calls change once. It returns the inner store's error, or null. */
  update(change: (current: Session | null) => Session | null): Promise<unknown>;
  /** Does the work under the lock. If the lock does not come within the limit, it does the work without the lock. */
  lock<T>(work: () => Promise<T>, signal: AbortSignal, limitMs: number): Promise<T>;
}

/**
 * Makes a store that does not fail. If the inner store throws, for example because it is full or forbidden, memory
 * keeps the session as long as the page or the process lives. A session of another API counts as no session.
 */
export function sturdy(store: Store, api: string): Sturdy {
  let held: Session | null = null; // the session that the inner store should have
  let failing = false; // the inner store does not have held
  const ours = (session: Session | null) => (session?.api === api ? session : null);
  return {
    async load() {
      if (failing) return held;
      try {
        held = ours(await store.load());
      } catch {
        // The last known session stays.
      }
      return held;
    },
    async update(change) {
      let called = false;
      let changed = false;
      const once = (known: Session | null) => {
        called = true;
        held = change(known);
        changed = held !== known;
      };
      try {
        await store.update((current) => {
          once(failing ? held : ours(current));
          return changed ? held : current;
        });
      } catch (error) {
        if (!called) once(held);
        if (changed) failing = true;
        return error;
      }
      if (changed) failing = false;
      return null;
    },
    async lock(work, signal, limitMs) {
      const waiting = new AbortController();
      const giveUp = () => waiting.abort(signal.reason);
      const timer = setTimeout(() => waiting.abort(new Error(`no lock within ${limitMs} ms`)), limitMs);
      signal.addEventListener("abort", giveUp);
      const waited = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", giveUp);
      };
      let begun = false;
      const once = () => {
        waiting.signal.throwIfAborted();
        begun = true;
        waited();
        return work();
      };
      try {
        if (signal.aborted) giveUp();
        return await unlessAborted(store.lock(once, waiting.signal), waiting.signal);
      } catch (error) {
        if (begun || signal.aborted) throw error;
      } finally {
        waited();
      }
      return work(); // two simultaneous refreshes do no harm; waiting for ever would
    },
  };
}
