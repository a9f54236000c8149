import { type ApiError, NetworkError, SessionEndedError, type EndReason } from "./errors.js";
import { passes, type Patience } from "./patience.js";
import type { Reach } from "./reach.js";
import { inTurn, type Session, type SessionEvent, type Store } from "./session.js";
import { isRefreshed } from "./shapes.js";
import { sturdy, type Sturdy } from "./sturdy.js";
import { tokenTimes } from "./token.js";
import { NoAnswer, refusal, type Answer, type Transport } from "./transport.js";
import { doubted, undoubted, verdictOf } from "./verdict.js";
import { unlessAborted } from "./waiting.js";

const margin = 60_000; // how long before its end the client refreshes an access token

/** Everything that a keeper uses besides its store. */
export interface Surroundings {
  transport: Transport;
  patience: Patience;
  timeoutMs: number;
  now: () => number;
  tell: (event: SessionEvent) => void;
  reach: Reach;
}

/**
 * Keeps a player logged in. It has the session, and refreshes the access token in time. Concurrent calls share a
 * refresh.
 */
export class Keeper {
  private readonly store: Sturdy;
  private readonly turn = inTurn(); // all work with the store, except for waiting for its lock
  private flight: Flight | null = null;
  private aheadMs = 0;
  private endedBy: EndReason | null = null;
  private told: Session | null | undefined; // the session after the last event; undefined before the first load

  constructor(
    store: Store,
    private readonly around: Surroundings,
  ) {
    this.store = sturdy(store, around.transport.api);
    void this.load(); // for serverTime, and as the base of the first change
    store.watch?.(() => void this.look());
  }

  serverTime(): number {
    return this.around.now() + this.aheadMs;
  }

  load(): Promise<Session | null> {
    return this.turn(async () => {
      const session = await this.store.load();
      if (session !== null) this.aheadMs = session.aheadMs;
      if (this.told === undefined) this.told = session;
      return session;
    });
  }

  /**
   * Replaces the client's session by a new one of the user. If own is true, it does so only if the session is the
   * user's, or there is none: another player may have logged in meanwhile.
   */
  async start(user: { id: string; username: string }, token: string, refreshToken: string, own = false): Promise<void> {
    this.abandon();
    const { api } = this.around.transport;
    const session = { api, userId: user.id, username: user.username, refreshToken, ...this.received(token) };
    await this.update((current) => {
      const isAnothers = own && current !== null && current.userId !== user.id;
      return isAnothers ? null : [session, { kind: "sessionStarted" }];
    });
  }

  /**
   * Ends the session here. It returns the ended session, and the store's error or null.
   */
  async end(): Promise<{ session: Session | null; failure: unknown }> {
    this.abandon();
    let session: Session | null = null;
    const failure = await this.update((current) => {
      session = current;
      return current && [null, { kind: "sessionEnded", reason: "logout" }];
    });
    return { session, failure };
  }

  /**
   * Returns the session with a fresh access token. If a player is given and the session is not theirs, it throws. If a
   * refused token is given, the session has another token.
   */
  async current(signal?: AbortSignal, player?: string, refused?: string): Promise<Session> {
    for (;;) {
      const stored = await unlessAborted(this.load(), signal);
      player ??= stored?.userId;
      if (stored === null || stored.userId !== player) throw this.ended();
      if (stored.token !== refused && !this.isOld(stored)) return stored;
      const renewed = await this.refresh(stored, signal);
      if (renewed !== null) return renewed;
    }
  }

  // Returns the error of a call that has no session.
  private ended(): SessionEndedError {
    return new SessionEndedError(this.endedBy ?? "none");
  }

  // A token from the future is old, too: the clock was set back, so the token's age and aheadMs are wrong.
  private isOld({ lifetimeMs, receivedAt }: Session): boolean {
    const age = this.around.now() - Date.parse(receivedAt);
    return lifetimeMs > 0 && (age < 0 || lifetimeMs - age < Math.min(margin, lifetimeMs / 10));
  }

  // Concurrent calls share one refresh. If a call is aborted, only that call stops waiting. If no call waits any more,
  // the refresh is cancelled. If the session has changed meanwhile, refresh returns null: the caller loads it again.
  private async refresh(stale: Session, signal: AbortSignal | undefined): Promise<Session | null> {
    if (this.flight?.refreshToken !== stale.refreshToken) this.abandon();
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
    const { signal } = abandoned;
    const work = async () => {
      const stored = await this.load();
      if (stored?.refreshToken !== stale.refreshToken) return null;
      return stored.token === stale.token ? this.renew(stored, signal) : stored; // another client has refreshed it
    };
    // An abandoned flight releases the lock at once, although its request may still be on the way.
    const locked = this.store.lock(() => unlessAborted(work(), signal), signal, 2 * this.around.timeoutMs);
    const session = unlessAborted(locked, signal).catch((error: unknown) => {
      if (signal.aborted) return null;
      throw error;
    });
    const flight = { session, refreshToken: stale.refreshToken, waiting: 0, abandoned };
    const landed = () => this.land(flight);
    session.then(landed, landed); // only the waiting calls handle a failure
    return flight;
  }

  // Cancels the refresh under way, which from now on changes nothing and reports nothing.
  private abandon(): void {
    this.flight?.abandoned.abort();
    this.flight = null;
  }

  // Lets the next call that needs a token begin another flight.
  private land(flight: Flight): void {
    if (this.flight === flight) this.flight = null;
  }

  // Requests a token and updates the session with the answer. If the session has changed meanwhile, it returns null.
  private async renew(asked: Session, signal: AbortSignal): Promise<Session | null> {
    const outcome = await this.askForToken(asked.refreshToken, signal);
    let result: Session | SessionEndedError | ApiError | NetworkError | null = null;
    await this.update((current) => {
      if (signal.aborted || current?.refreshToken !== asked.refreshToken) return null;
      if (typeof outcome === "string") {
        result = { ...undoubted(current), ...this.received(outcome) };
        return [result, { kind: "sessionRefreshed" }];
      }
      result = outcome.failure;
      const verdict = verdictOf(outcome.failure);
      if (verdict === "failed") return [undoubted(current)];
      if (verdict === "doubtful") {
        const noted = doubted(outcome.isUnbroken ? current : undoubted(current), this.around.now());
        if (noted !== null) return [noted];
      }
      const reason = verdict === "doubtful" ? "refused" : verdict;
      result = new SessionEndedError(reason, outcome.failure);
      return [null, { kind: "sessionEnded", reason }];
    });
    if ((result as unknown) instanceof Error) throw result;
    return result;
  }

  // Requests a token until an answer is final or no attempt is left.
  private async askForToken(refreshToken: string, signal: AbortSignal): Promise<string | Failed> {
    const { transport, patience, timeoutMs, reach } = this.around;
    const request = { method: "POST", path: "/auth/refresh", body: { refreshToken } } as const;
    let isUnbroken = true;
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
      const isDoubtful = verdictOf(failure) === "doubtful";
      const again = answer === null || passes(answer) || isDoubtful;
      if (!again || attempt >= patience.attempts) return { failure, isUnbroken };
      if (!isDoubtful) isUnbroken = false;
      await patience.pause(attempt, answer, signal);
    }
  }

  private received(token: string): Pick<Session, "token" | "receivedAt" | "lifetimeMs" | "aheadMs"> {
    const received = this.around.now();
    const times = tokenTimes(token);
    const aheadMs = times ? times.issuedAt - received : this.aheadMs;
    return { token, receivedAt: new Date(received).toISOString(), lifetimeMs: times?.lifetimeMs ?? 0, aheadMs };
  }

  // Updates the session to the result of change and reports the event. If change returns null, there is no update.
  // Events come in the order of updates. It returns the store's error, or null.
  private update(change: (current: Session | null) => Made | null): Promise<unknown> {
    return this.turn(async () => {
      let event: SessionEvent | undefined;
      const failure = await this.store.update((current) => {
        const made = change(current);
        if (made === null) return current;
        event = made[1];
        return this.note(made[0], event);
      });
      if (event) this.around.tell(event);
      return failure;
    });
  }

  // Reports a change of the session by another tab, in an update of its own, apart from this client's changes.
  private look(): Promise<unknown> {
    return this.update((current) => {
      const before = this.told;
      if (current === null) return before ? [null, { kind: "sessionEnded", reason: "elsewhere" }] : null;
      if (before?.refreshToken !== current.refreshToken) return [current, { kind: "sessionStarted" }];
      return before.token === current.token ? null : [current, { kind: "sessionRefreshed" }];
    });
  }

  private note(session: Session | null, event: SessionEvent | undefined): Session | null {
    this.told = session;
    if (session !== null) this.aheadMs = session.aheadMs;
    if (session !== null) this.endedBy = null;
    else if (event?.kind === "sessionEnded") this.endedBy = event.reason;
    return session;
  }
}

// The new session, and the event that reports it.
type Made = [session: Session | null, event?: SessionEvent];

// A refresh that got no token: its last failure, and whether all attempts got doubtful refusals (see verdictOf).
interface Failed {
  failure: ApiError | NetworkError;
  isUnbroken: boolean;
}

// A refresh under way of the session with this refresh token.
interface Flight {
  session: Promise<Session | null>;
  refreshToken: string;
  waiting: number;
  abandoned: AbortController; // aborted if no call waits for the flight, or the session has changed
}
