import type { EndReason } from "./errors.js";
import { isToken } from "./token.js";

/** The tokens that keep a player logged in. Anyone who has them can act as the player: protect them like a password. */
export interface Session {
  /** The base URL. A client ignores sessions of other services. */
  api: string;
  userId: string;
  username: string;
  token: string;
  refreshToken: string;
  /** When the access token came, by this machine's clock (RFC 3339). */
  receivedAt: string;
  /** The lifetime of the access token: exp - iat; 0 if the token has no such times. */
  lifetimeMs: number;
  /** How far the service's clock is ahead of this machine's. */
  aheadMs: number;
  /** The time of the first of consecutive doubtful refusals (see verdictOf), in RFC 3339. */
  refusedSince?: string;
  /** The time of the last of consecutive doubtful refusals, in RFC 3339. */
  refusedLast?: string;
}

/** A store keeps a session. Clients that share a store share the session: each uses the tokens of the last refresh. */
export interface Store {
  /** Returns the session, or null if the store has none. */
  load(): Promise<Session | null>;
  /**
   * Replaces the session by the result of change. Null removes the session. If the result is the argument, the session
   * stays as it is. The update is atomic among all clients that share the store. It calls change once at most.
   */
  update(change: (current: Session | null) => Session | null): Promise<void>;
  /**
   * Does the work while no other client that shares the store holds the lock. The work may take seconds. If the signal
   * is aborted before the work begins, lock never does the work, and rejects with the signal's reason.
   */
  lock<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Calls changed if another client may have updated the store. A store that cannot know has no watch. */
  watch?(changed: () => void): void;
}

/** A change of the session or of the connection. The client reports each once. */
export type SessionEvent =
  | { kind: "sessionStarted" }
  | { kind: "sessionRefreshed" }
  | { kind: "sessionEnded"; reason: EndReason }
  /** A call got no answer; the session stays. */
  | { kind: "unreachable" }
  /** The first answer after unreachable. */
  | { kind: "reachable" };

/** Reads a stored session. For any other text, it returns null. */
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

/** Makes a lock within this page or process. Callers get the lock in the order of their calls. */
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
