import type { Session, Store } from "./session.js";
import { unlessAborted } from "./waiting.js";

/** A store that does not fail. It is asked by one at a time, save for its lock. */
export interface Sturdy {
  load(): Promise<Session | null>;
  /** As a Store's; change is called once. Returns why the store within could not be told, null where it was. */
  update(change: (current: Session | null) => Session | null): Promise<unknown>;
  /** Does the work in turn; without the lock where that is not to be had within the limit. */
  lock<T>(work: () => Promise<T>, signal: AbortSignal, limitMs: number): Promise<T>;
}

/**
 * Makes a store that does not fail: where the one within throws (a full or forbidden storage), memory takes over, and
 * play goes on as long as the page or the process lives. A session of another API is none.
 */
export function sturdy(store: Store, api: string): Sturdy {
  let held: Session | null = null; // what the store ought to hold
  let failing = false; // it could not be told so
  const ours = (session: Session | null) => (session?.api === api ? session : null);
  return {
    async load() {
      if (failing) return held;
      try {
        held = ours(await store.load());
      } catch {
        // What was known last counts.
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
      return work(); // two that refresh cost a request, and one that waits for ever a player
    },
  };
}
