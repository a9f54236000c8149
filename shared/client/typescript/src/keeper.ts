import { type ApiError, NetworkError, SessionEndedError, type EndReason } from "./errors.js";
import { passes, type Patience } from "./patience.js";
import type { Reach } from "./reach.js";
import type { Session, SessionEvent, Store } from "./session.js";
import { isRefreshed } from "./shapes.js";
import { sturdy } from "./sturdy.js";
import { tokenTimes } from "./token.js";
import { NoAnswer, refusal, type Answer, type Transport } from "./transport.js";
import { unlessAborted } from "./waiting.js";

const margin = 60_000; // an access token is renewed that long before its end
const doubtfulFor = 120_000; // a refusal that may be a failure of the service's own is believed after that

/** What a keeper needs besides its store. */
export interface Surroundings {
  transport: Transport;
  patience: Patience;
  timeoutMs: number;
  now: () => number;
  tell: (event: SessionEvent) => void;
  reach: Reach;
}

/** Keeps a player logged in: it has the session, and renews its access token in time, once for all who ask. */
export class Keeper {
  private readonly store: ReturnType<typeof sturdy>;
  private flight: Flight | null = null;
  private aheadMs = 0;
  private endedBy: EndReason | null = null;
  private told: Session | null | undefined; // what the listener knows of; undefined before the first look

  constructor(
    store: Store,
    private readonly around: Surroundings,
  ) {
    this.store = sturdy(store, around.transport.api);
    store.watch?.((session) => this.changed(session?.api === around.transport.api ? session : null));
    void this.load(); // for serverTime, and to see what changes
  }

  serverTime(): number {
    return this.around.now() + this.aheadMs;
  }

  async load(): Promise<Session | null> {
    const session = await this.store.load();
    if (session !== null) this.aheadMs = session.aheadMs;
    if (this.told === undefined) this.told = session;
    return session;
  }

  /** Starts the session of a player; the one before is forgotten. */
  async start(user: { id: string; username: string }, token: string, refreshToken: string): Promise<void> {
    const { api } = this.around.transport;
    await this.save({ api, userId: user.id, username: user.username, refreshToken, ...this.received(token) });
    this.around.tell({ kind: "sessionStarted" });
  }

  /** Ends the session here; returns what it was. */
  async end(reason: EndReason): Promise<Session | null> {
    const session = await this.load();
    if (session === null) return null;
    await this.store.save(null);
    this.told = null;
    this.endedBy = reason;
    this.around.tell({ kind: "sessionEnded", reason });
    return session;
  }

  /**
   * Returns the session with an access token that is good for a while. Given the session that a call began with, it is
   * the same player's; given the token that was refused, it has another one.
   */
  async current(signal?: AbortSignal, began?: Session, refused?: string): Promise<Session> {
    const stored = await unlessAborted(this.load(), signal);
    const player = (began ?? stored)?.userId;
    if (stored === null || stored.userId !== player) throw this.ended();
    if (stored.token !== refused && !this.isOld(stored)) return stored;
    const renewed = await this.refresh(stored, signal);
    if (renewed.userId !== player) throw this.ended(); // somebody else has logged in meanwhile
    return renewed;
  }

  // The error of a call for which there is no session.
  private ended(): SessionEndedError {
    return new SessionEndedError(this.endedBy ?? "none");
  }

  private isOld(session: Session): boolean {
    const left = session.lifetimeMs - (this.around.now() - Date.parse(session.receivedAt));
    return session.lifetimeMs > 0 && left < Math.min(margin, session.lifetimeMs / 10);
  }

  // All who ask at a time share one refreshing: who gives up, gives up waiting, and the last one the refreshing.
  private async refresh(stale: Session, signal: AbortSignal | undefined): Promise<Session> {
    const flight = (this.flight ??= this.begin(stale));
    flight.waiting++;
    try {
      return await unlessAborted(flight.session, signal);
    } finally {
      flight.waiting--;
      if (flight.waiting === 0) {
        flight.abandoned.abort();
        this.land(flight);
      }
    }
  }

  private begin(stale: Session): Flight {
    const abandoned = new AbortController();
    const session = this.store.lock(async () => {
      abandoned.signal.throwIfAborted();
      const stored = await this.load();
      if (stored === null) throw this.ended();
      return stored.token === stale.token ? this.renew(stored, abandoned.signal) : stored; // another tab was first
    });
    const flight = { session, waiting: 0, abandoned };
    const landed = () => this.land(flight);
    session.then(landed, landed); // a failure is told to those who wait
    return flight;
  }

  // Lets the next one who needs a token begin another flight.
  private land(flight: Flight): void {
    if (this.flight === flight) this.flight = null;
  }

  private async renew(session: Session, signal: AbortSignal): Promise<Session> {
    const outcome = await this.askForToken(session.refreshToken, signal);
    const stored = await this.load();
    if (stored?.refreshToken !== session.refreshToken) {
      if (stored !== null) return stored; // logged in anew meanwhile
      throw this.ended();
    }
    if (typeof outcome !== "string") return this.settle(session, outcome);
    const { refusedSince: _, ...rest } = session;
    const renewed = { ...rest, ...this.received(outcome) };
    await this.save(renewed);
    this.around.tell({ kind: "sessionRefreshed" });
    return renewed;
  }

  // Asks until there is an answer that counts, or patience ends.
  private async askForToken(refreshToken: string, signal: AbortSignal): Promise<string | ApiError | NetworkError> {
    const { transport, patience, timeoutMs, reach } = this.around;
    const request = { method: "POST", path: "/auth/refresh", body: { refreshToken } } as const;
    for (let attempt = 1; ; attempt++) {
      let answer: Answer | null = null;
      let failure: ApiError | NetworkError;
      try {
        answer = await transport.exchange(request, null, timeoutMs, signal);
        reach.note(true);
        if (answer.status === 200 && isRefreshed(answer.body)) return answer.body.token;
        failure = refusal(answer);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        failure = new NetworkError(error.cause);
      }
      const again = answer === null || passes(answer) || verdictOf(failure) === "doubtful";
      if (!again || attempt >= patience.attempts) return failure;
      await patience.pause(attempt, answer, signal);
    }
  }

  // Does to the session what a failed refreshing says of it.
  private async settle(session: Session, failure: ApiError | NetworkError): Promise<never> {
    let verdict = verdictOf(failure);
    const { refusedSince: since, ...rest } = session;
    const now = this.around.now();
    if (verdict === "doubtful") {
      if (since === undefined || now < Date.parse(since)) {
        await this.save({ ...rest, refusedSince: new Date(now).toISOString() });
      } else if (now - Date.parse(since) >= doubtfulFor) verdict = "refused";
    } else if (verdict === "failed" && since !== undefined) await this.save(rest);
    if (verdict !== "refused" && verdict !== "banned") throw failure;
    await this.end(verdict);
    throw new SessionEndedError(verdict, failure);
  }

  private received(token: string): Pick<Session, "token" | "receivedAt" | "lifetimeMs" | "aheadMs"> {
    const received = this.around.now();
    const times = tokenTimes(token);
    const aheadMs = times ? times.issuedAt - received : this.aheadMs;
    return { token, receivedAt: new Date(received).toISOString(), lifetimeMs: times?.lifetimeMs ?? 0, aheadMs };
  }

  private async save(session: Session): Promise<void> {
    this.aheadMs = session.aheadMs;
    this.told = session;
    this.endedBy = null;
    await this.store.save(session);
  }

  // In another tab.
  private changed(session: Session | null): void {
    const before = this.told;
    this.told = session;
    if (session !== null) this.aheadMs = session.aheadMs;
    if (session === null) {
      if (!before) return;
      this.endedBy = "elsewhere";
      this.around.tell({ kind: "sessionEnded", reason: "elsewhere" });
    } else if (before?.refreshToken !== session.refreshToken) this.around.tell({ kind: "sessionStarted" });
    else if (before.token !== session.token) this.around.tell({ kind: "sessionRefreshed" });
  }
}

// A refreshing under way.
interface Flight {
  session: Promise<Session>;
  waiting: number;
  abandoned: AbortController; // when nobody waits for it any more
}

/**
 * What a failed refreshing means: the reason for which the session has ended; "doubtful", which the service answers to
 * a token that does not verify, and to an unexpected failure of its own; another answer; or none at all.
 */
type Verdict = "refused" | "banned" | "doubtful" | "failed" | "unanswered";

function verdictOf(failure: ApiError | NetworkError): Verdict {
  if (failure instanceof NetworkError) return "unanswered";
  const { status, code, said } = failure;
  if (status === 400 && code === "MISSING_TOKEN") return "refused";
  if (status === 401 && code === "UNAUTHORIZED") return "banned";
  if (status !== 401 || code !== "INVALID_TOKEN") return "failed";
  return said === "Refresh token invalid or expired" ? "refused" : "doubtful";
}
