import { ApiError, NetworkError, SessionEndedError, type EndReason } from "./errors.js";
import { passes, type Patience } from "./patience.js";
import type { Session, SessionEvent, Store } from "./session.js";
import { sturdy } from "./sturdy.js";
import { tokenTimes } from "./token.js";
import { NoAnswer, read, refusal, type Answer, type Transport } from "./transport.js";
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
  /** Is told of each answer that came to a refresh. */
  answered: () => void;
}

/** Keeps a player logged in: it has the session, and renews its access token in time, once for all who ask. */
export class Keeper {
  private readonly store: ReturnType<typeof sturdy>;
  private refreshing: Promise<Session> | null = null;
  private aheadMs = 0;
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
    this.around.tell({ kind: "sessionEnded", reason });
    return session;
  }

  /**
   * Returns the session with an access token that is good for a while. Given the session that a call began with, it is
   * the same player's; given the token that was refused, another one.
   */
  async current(signal?: AbortSignal, began?: Session, refused?: string): Promise<Session> {
    const session = await unlessAborted(this.load(), signal);
    if (session === null) throw new SessionEndedError(began ? "logout" : "none");
    const same = (s: Session) => {
      if (began && s.userId !== began.userId) throw new SessionEndedError("logout"); // somebody else has logged in
      return s;
    };
    if (same(session).token !== refused && !this.isOld(session)) return session;
    return same(await unlessAborted(this.refresh(session), signal));
  }

  private isOld(session: Session): boolean {
    const left = session.lifetimeMs - (this.around.now() - Date.parse(session.receivedAt));
    return session.lifetimeMs > 0 && left < Math.min(margin, session.lifetimeMs / 10);
  }

  // Nobody's signal ends it: it is everybody's.
  private refresh(stale: Session): Promise<Session> {
    this.refreshing ??= this.store
      .lock(async () => {
        const stored = await this.load();
        if (stored === null) throw new SessionEndedError("none");
        return stored.token === stale.token ? this.renew(stored) : stored; // another tab was first
      })
      .finally(() => (this.refreshing = null));
    this.refreshing.catch(() => {}); // those who wait are told, if there are any left
    return this.refreshing;
  }

  private async renew(session: Session): Promise<Session> {
    const outcome = await this.askForToken(session.refreshToken, session.refusedSince);
    const stored = await this.load();
    if (stored?.refreshToken !== session.refreshToken) {
      if (stored !== null) return stored; // logged in anew meanwhile
      throw new SessionEndedError("logout");
    }
    if ("token" in outcome) {
      const { refusedSince: _, ...rest } = session;
      const renewed = { ...rest, ...this.received(outcome.token) };
      await this.save(renewed);
      this.around.tell({ kind: "sessionRefreshed" });
      return renewed;
    }
    const { failure, ended, refusedSince } = outcome;
    if (ended !== null) {
      await this.end(ended);
      throw new SessionEndedError(ended, failure);
    }
    if (refusedSince !== session.refusedSince) {
      const { refusedSince: _, ...rest } = session;
      await this.save(refusedSince === undefined ? rest : { ...rest, refusedSince });
    }
    throw failure;
  }

  // Asks until there is an answer that counts, or patience ends.
  private async askForToken(refreshToken: string, refusedSince: string | undefined): Promise<Renewal> {
    const { transport, patience, timeoutMs, now, answered } = this.around;
    const request = { method: "POST", path: "/auth/refresh", body: { refreshToken } } as const;
    for (let attempt = 1; ; attempt++) {
      let answer: Answer | null = null;
      let failure: ApiError | NetworkError;
      try {
        answer = await transport.exchange(request, null, timeoutMs);
        answered();
        if (answer.status === 200) return { token: read<{ token: string }>(answer, 200).token };
        failure = refusal(answer);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        failure = new NetworkError(error.cause);
      }
      const doubtful = failure instanceof ApiError && isDoubtful(failure);
      if (doubtful) refusedSince ??= new Date(now()).toISOString();
      else if (answer !== null) refusedSince = undefined; // the service says something else after all
      if ((answer === null || passes(answer) || doubtful) && attempt < patience.attempts) {
        await patience.pause(attempt, answer);
        continue;
      }
      let ended = failure instanceof ApiError ? endOf(failure) : null;
      if (doubtful && refusedSince && now() - Date.parse(refusedSince) >= doubtfulFor) ended = "refused";
      return { failure, ended, refusedSince };
    }
  }

  private received(token: string): Pick<Session, "token" | "receivedAt" | "lifetimeMs" | "aheadMs"> {
    const received = this.around.now();
    const { lifetimeMs, issuedAt } = tokenTimes(token);
    const aheadMs = issuedAt === null ? this.aheadMs : issuedAt - received;
    return { token, receivedAt: new Date(received).toISOString(), lifetimeMs, aheadMs };
  }

  private async save(session: Session): Promise<void> {
    this.aheadMs = session.aheadMs;
    this.told = session;
    await this.store.save(session);
  }

  // In another tab.
  private changed(session: Session | null): void {
    const before = this.told;
    this.told = session;
    if (session !== null) this.aheadMs = session.aheadMs;
    if (session === null) {
      if (before) this.around.tell({ kind: "sessionEnded", reason: "elsewhere" });
    } else if (before?.refreshToken !== session.refreshToken) this.around.tell({ kind: "sessionStarted" });
    else if (before.token !== session.token) this.around.tell({ kind: "sessionRefreshed" });
  }
}

type Renewal =
  | { token: string }
  | { failure: ApiError | NetworkError; ended: EndReason | null; refusedSince: string | undefined };

const invalid = "INVALID_TOKEN";

// The service's answer to a token that does not verify, and to an unexpected failure of its own.
function isDoubtful(answer: ApiError): boolean {
  return answer.status === 401 && answer.code === invalid && endOf(answer) === null;
}

function endOf({ status, code, said }: ApiError): EndReason | null {
  if (status === 401 && code === invalid && said === "Refresh token invalid or expired") return "refused";
  if (status === 401 && code === "UNAUTHORIZED") return "banned";
  return status === 400 && code === "MISSING_TOKEN" ? "refused" : null;
}
