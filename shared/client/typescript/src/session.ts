import type { EndReason } from "./errors.js";

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
}

/** Keeps a session. Clients that share a store share the session: what one refreshes, the others use. */
export interface Store {
  /** Null where there is no session. */
  load(): Promise<Session | null>;
  /** Keeps the session; null removes it. */
  save(session: Session | null): Promise<void>;
  /** Does the work when nobody else who shares the store is at any. */
  lock<T>(work: () => Promise<T>): Promise<T>;
  /** Tells what others who share the store have saved, where the store can. */
  watch?(changed: (session: Session | null) => void): void;
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
    [s.api, s.userId, s.username, s.token, s.refreshToken].every((text) => typeof text === "string" && text !== "") &&
    [s.lifetimeMs, s.aheadMs].every((count) => Number.isFinite(count)) &&
    isInstant(s.receivedAt) &&
    (s.refusedSince === undefined || isInstant(s.refusedSince))
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
    save: async (session) => {
      held = session && { ...session };
    },
    lock: inTurn(),
  };
}

/** Makes a lock among those who have this function: work is done in turn, in the order of asking. */
export function inTurn(): Store["lock"] {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}
