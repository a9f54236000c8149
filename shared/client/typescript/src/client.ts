import { type Change, NetworkError, SessionEndedError, ApiError, UnknownOutcomeError } from "./errors.js";
import { Keeper } from "./keeper.js";
import { claimedBy, enteredBy, judged } from "./lookup.js";
import { passes, Patience } from "./patience.js";
import { memoryStore, type Session, type SessionEvent, type Store } from "./session.js";
import { type Answer, NoAnswer, read, type Request, Transport } from "./transport.js";
import type * as t from "./types.js";
import type { Wait } from "./waiting.js";

/** What a client goes by; {} is right for a game. */
export interface Options {
  /** Where the session is kept; absent: in memory. Clients that share a store share a session. */
  store?: Store;
  /** Is told what becomes of the session. */
  onEvent?: (event: SessionEvent) => void;
  /** Of one attempt; absent: 10 s, and 35 s for a judging, which the gateway ends at 30 s. */
  timeoutMs?: number;
  /** Of one call at most; absent: 4. */
  attempts?: number;

  // For tests.
  fetch?: typeof globalThis.fetch;
  now?: () => number;
  wait?: Wait;
  random?: () => number;
}

/** What every call takes last. Aborting ends waiting and sending at once. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** Lists shows whatever their status. */
export const anyStatus = "*";

/** Which shows are listed: of a tier, absent for all; of a status, absent for open ones, anyStatus for all. */
export interface ShowFilter {
  tier?: string | undefined;
  status?: string | undefined;
}

/** Calls the API as one player. It may be used by many at once. */
export class Client {
  private readonly transport: Transport;
  private readonly patience: Patience;
  private readonly keeper: Keeper;
  private reachable = true;

  /** Makes a client of the API at a base URL. It sends nothing. */
  constructor(
    api: string,
    private readonly options: Options = {},
  ) {
    this.transport = new Transport(
      api.replace(/\/+$/, ""),
      options.fetch ?? ((...request) => globalThis.fetch(...request)),
    );
    this.patience = new Patience(options.attempts, options.wait, options.random);
    this.keeper = new Keeper(options.store ?? memoryStore(), {
      transport: this.transport,
      patience: this.patience,
      timeoutMs: options.timeoutMs ?? 10_000,
      now: options.now ?? Date.now,
      tell: (event) => this.tell(event),
      answered: () => this.reached(true),
    });
  }

  /** Whose session there is, null where there is none. A session that was stored before is there from the start. */
  session(): Promise<Session | null> {
    return this.keeper.load();
  }

  /** The service's clock as the last token showed it, to the second, in milliseconds; this machine's where there was none. */
  serverTime(): number {
    return this.keeper.serverTime();
  }

  /** Makes a player, and logs in as that one. */
  async register(registration: t.Registration, { signal }: CallOptions = {}): Promise<t.User> {
    const { email, username, password, ranchName } = registration;
    const request = post("/auth/register", { email, username, password, ranchName });
    return this.change("register", request, { signal, open: true }, {
      done: async (answer) => {
        const { user, token, refreshToken } = read<Registered>(answer, 201);
        await this.keeper.start(user, token, refreshToken);
        return user;
      },
      look: async (last) => {
        if (isRule(last) && last.code !== "CONFLICT") return null;
        const answer = await this.logIn(email, password, signal).catch((error: unknown) => {
          if (isRule(error)) return null;
          throw error;
        });
        if (answer?.user.username !== username) return null;
        await this.keeper.start(answer.user, answer.token, answer.refreshToken);
        const { lastLoginAt: _, ranch: __, ...user } = answer.user;
        return user;
      },
    });
  }

  /** Logs in; the session before is forgotten, and not logged out. */
  async login(email: string, password: string, { signal }: CallOptions = {}): Promise<t.Account> {
    const { user, token, refreshToken } = await this.logIn(email, password, signal);
    await this.keeper.start(user, token, refreshToken);
    return user;
  }

  /**
   * Ends the session here in any case, and in the service as far as it can be reached: an error says that it could not,
   * and that the refresh token lives on there until it expires.
   */
  async logout({ signal }: CallOptions = {}): Promise<void> {
    const session = await this.keeper.end("logout");
    if (session === null) return;
    const request = post("/auth/logout", { refreshToken: session.refreshToken });
    read(await this.send(request, { signal, open: true }, {}), 200);
  }

  /** The caller's animals. */
  animals({ signal }: CallOptions = {}): Promise<t.Animal[]> {
    return this.get("/animals", signal);
  }

  /** Up to 50 shows by closing time. */
  shows(filter: ShowFilter = {}, { signal }: CallOptions = {}): Promise<t.ListedShow[]> {
    const query = new URLSearchParams();
    if (filter.tier) query.set("tier", filter.tier);
    if (filter.status) query.set("status", filter.status === anyStatus ? "" : filter.status);
    const asked = query.toString();
    return this.get(asked === "" ? "/events/shows" : `/events/shows?${asked}`, signal);
  }

  /** A show with its entries: by rank, those without one last, then by the time of entry. */
  show(id: string, { signal }: CallOptions = {}): Promise<t.ShowDetail> {
    return this.get(showPath(id), signal);
  }

  /** Enters an animal for the show's fee. It is repeated after a lost answer, and can charge once only. */
  enter(showId: string, animalId: string, { signal }: CallOptions = {}): Promise<t.Entered> {
    return this.change("enter", post(`${showPath(showId)}/enter`, { animalId }), { signal }, {
      done: async (answer) => ({ ...read<t.Entered>(answer, 201), resolved: false }),
      look: async (_, player) => this.seen(showId, signal, (show) => enteredBy(player, animalId, show)),
    });
  }

  /** Judges a show. */
  judge(showId: string, { signal }: CallOptions = {}): Promise<t.Judged> {
    const timeoutMs = this.options.timeoutMs ?? 35_000;
    return this.change("judge", post(`${showPath(showId)}/judge`), { signal, timeoutMs }, {
      done: async (answer) => ({ ...read<t.Judged>(answer, 200), resolved: false }),
      look: async () => this.seen(showId, signal, judged),
    });
  }

  /** Claims the caller's prize. It is repeated after a lost answer, and is paid once only. */
  claim(showId: string, { signal }: CallOptions = {}): Promise<t.Claimed> {
    return this.change("claim", post(`${showPath(showId)}/claim-reward`), { signal }, {
      done: async (answer) => ({ ...read<t.Claimed>(answer, 200), resolved: false }),
      look: async (_, player) => this.seen(showId, signal, (show) => claimedBy(player, show)),
    });
  }

  /** The active season and the caller's score in it, null where there is none. */
  async season({ signal }: CallOptions = {}): Promise<t.Season | null> {
    const season = await this.get<t.Season | { active: false }>("/events/season", signal);
    return "active" in season ? null : season;
  }

  private async get<T>(path: string, signal: AbortSignal | undefined): Promise<T> {
    return read(await this.send({ method: "GET", path }, { signal }, {}), 200);
  }

  private async logIn(email: string, password: string, signal: AbortSignal | undefined): Promise<LoggedIn> {
    return read(await this.send(post("/auth/login", { email, password }), { signal, open: true }, {}), 200);
  }

  // Makes a change, and finds out what became of it where that is in doubt.
  private async change<T>(operation: Change, request: Request, way: Way, steps: Steps<T>): Promise<T> {
    const course: Course = {};
    let last: unknown;
    try {
      return await steps.done(await this.send(request, way, course));
    } catch (error) {
      if (!course.inDoubt && !isUnread(error)) throw error;
      last = error;
    }
    if (way.signal?.aborted || last instanceof SessionEndedError) throw new UnknownOutcomeError(operation, last);
    let found: T | null;
    try {
      found = await steps.look(last, course.session?.userId ?? "");
    } catch (error) {
      throw new UnknownOutcomeError(operation, error);
    }
    if (found !== null) return found;
    throw isRule(last) ? last : new UnknownOutcomeError(operation, last);
  }

  private async seen<T>(id: string, signal: AbortSignal | undefined, look: (show: t.ShowDetail) => T): Promise<T | null> {
    try {
      return look(await this.show(id, { signal }));
    } catch (error) {
      if (isRule(error) && error.status === 404) return null;
      throw error;
    }
  }

  // Sends a request until there is an answer that counts, or patience ends.
  private async send(request: Request, way: Way, course: Course): Promise<Answer> {
    try {
      return await this.sendPatiently(request, way, course);
    } catch (error) {
      if (error instanceof NetworkError) this.reached(false);
      throw error;
    }
  }

  private async sendPatiently(request: Request, way: Way, course: Course): Promise<Answer> {
    let refused: string | undefined;
    for (let attempt = 1; ; attempt++) {
      if (!way.open) course.session = await this.keeper.current(way.signal, course.session, refused);
      way.signal?.throwIfAborted();
      const outcome = await this.attempt(request, way, course);
      if (!(outcome instanceof NetworkError)) {
        if (outcome.status === 401 && course.session && refused === undefined) {
          refused = course.session.token;
          attempt--;
          continue;
        }
        if (!passes(outcome)) return outcome;
      }
      if (attempt >= this.patience.attempts) {
        if (outcome instanceof NetworkError) throw outcome;
        return outcome;
      }
      await this.patience.pause(attempt, outcome instanceof NetworkError ? null : outcome, way.signal);
    }
  }

  private async attempt(request: Request, way: Way, course: Course): Promise<Answer | NetworkError> {
    const timeoutMs = way.timeoutMs ?? this.options.timeoutMs ?? 10_000;
    try {
      const answer = await this.transport.exchange(request, course.session?.token ?? null, timeoutMs, way.signal);
      if (answer.status >= 500) course.inDoubt = true;
      this.reached(true);
      return answer;
    } catch (error) {
      if (!(error instanceof NoAnswer)) {
        course.inDoubt = true; // aborted on its way
        throw error;
      }
      if (error.sent) course.inDoubt = true;
      return new NetworkError(error.cause);
    }
  }

  private reached(reachable: boolean): void {
    if (this.reachable === reachable) return;
    this.reachable = reachable;
    this.tell({ kind: reachable ? "reachable" : "unreachable" });
  }

  // A listener that throws, at once or later, breaks nothing.
  private tell(event: SessionEvent): void {
    const listener = async () => this.options.onEvent?.(event);
    listener().catch((error: unknown) => console.error(error));
  }
}

// How a request is sent: open ones need no session.
interface Way {
  signal: AbortSignal | undefined;
  open?: true;
  timeoutMs?: number;
}

// What has become of a call so far.
interface Course {
  session?: Session;
  inDoubt?: true; // an attempt of it may have been applied
}

interface Steps<T> {
  done(answer: Answer): Promise<T>;
  // Null: not there.
  look(last: unknown, player: string): Promise<T | null>;
}

interface Registered {
  user: t.User;
  token: string;
  refreshToken: string;
}

interface LoggedIn {
  user: t.Account;
  token: string;
  refreshToken: string;
}

function post(path: string, body?: object): Request {
  return { method: "POST", path, ...(body && { body }) };
}

function showPath(id: string): string {
  return `/events/shows/${encodeURIComponent(id)}`;
}

// Whether the service has decided, by its rules, that it does not do what was asked.
function isRule(error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || error.code === "UNEXPECTED") return false;
  return error.status >= 400 && error.status < 500 && error.status !== 429;
}

// Whether an answer may have been yes, and is none that can be read.
function isUnread(error: unknown): boolean {
  return error instanceof ApiError && error.code === "UNEXPECTED" && error.status >= 200 && error.status < 300;
}
