import type { EndReason } from "./errors.js";
import { isToken } from "./token.js";

/** What keeps a player logged in. Whoever has it can be the player: it belongs where passwords belong. */
export interface Session {
  /** The base URL; a session of another service is none. */
  api: string;
  userId: string;
  username: string;
  token: string;
  refreshToken: string;
  /** When the access token came, by this machine's clock (RFC 3339). */
  receivedAt: string;
  /** Of the access token: exp - iat, whatever the clocks say; 0 where the token does not tell. */
  lifetimeMs: number;
  /** How far the service's clock is ahead of this machine's. */
  aheadMs: number;
  /** Since when the only answers to refreshing are refusals that may be a failure of the service's own (RFC 3339). */
  refusedSince?: string;
  /** When the last of them came (RFC 3339). */
  refusedLast?: string;
}

/** Keeps a session. Clients that share a store share the session: what one refreshes, the others use. */
export interface Store {
  /** Null where there is no session. */
  load(): Promise<Session | null>;
  /**
   * Keeps what change makes of the session; null removes it, and the one it was given is left as it is. Nobody else who
   * shares the store updates it in between. Change is called once at most, and is quick.
   */
  update(change: (current: Session | null) => Session | null): Promise<void>;
  /**
   * Does the work, which may take its time, when nobody else who shares the store is at any. Where the signal is
   * aborted before that, the work is never done, and it rejects with the signal's reason.
   */
  lock<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Tells when others who share the store may have updated it, where the store can. */
  watch?(changed: () => void): void;
}

/** What became of the session, each once. */
export type SessionEvent =
  | { kind: "sessionStarted" }
  | { kind: "sessionRefreshed" }
  | { kind: "sessionEnded"; reason: EndReason }
  /** A call has failed for want of an answer; the session stays. */
  | { kind: "unreachable" }
  /** The first answer since. */
  | { kind: "reachable" };

/** Reads a session as it was stored; rubbish is none. */
export function parseSession(text: string | null): Session | null {
  if (text === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return isSession(value) ? value : null;
}

function isSession(value: unknown): value is Session {
  if (typeof value !== "object" || value === null) return false;
  const s = value as Partial<Record<keyof Session, unknown>>;
  return (
    [s.api, s.userId, s.username].every((text) => typeof text === "string" && text !== "") &&
    [s.token, s.refreshToken].every(isToken) &&
    [s.lifetimeMs, s.aheadMs].every((count) => Number.isFinite(count)) &&
    isInstant(s.receivedAt) &&
    [s.refusedSince, s.refusedLast].every((instant) => instant === undefined || isInstant(instant))
  );
}

function isInstant(value: unknown): boolean {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}

/** Keeps a session as long as the page or the process lives. */
export function memoryStore(): Store {
  let held: Session | null = null;
  return {
    load: async () => held && { ...held },
    update: async (change) => {
      const next = change(held && { ...held });
      held = next && { ...next };
    },
    lock: inTurn(),
  };
}

/** Makes a lock among those who have this function: work is done in turn, in the order of asking. */
export function inTurn(): Store["lock"] {
  let last: Promise<unknown> = Promise.resolve();
  return (work, signal) => {
    const mine = last.then(() => {
      signal?.throwIfAborted();
      return work();
    });
    last = mine.catch(() => {});
    return mine;
  };
}
