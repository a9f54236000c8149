import { type CallOptions, Reads } from "./api.js";
import { Caller, isRule, type Way } from "./caller.js";
import { SessionEndedError, StoreError } from "./errors.js";
import { Keeper } from "./keeper.js";
import {
  type EntriesAt,
  linked,
  type Neighbours,
  neighbours,
  type OwnFilter,
  type Page,
  type ShowFilter,
  showsPath,
  type StandingsAt,
  withQuery,
} from "./lists.js";
import { claimedBy, enteredBy, judged } from "./lookup.js";
import { Patience } from "./patience.js";
import { Reach } from "./reach.js";
import { memoryStore, type Session, type SessionEvent, type Store } from "./session.js";
import * as shapes from "./shapes.js";
import { isSafe, read, type Request, Transport } from "./transport.js";
import type * as t from "./types.js";
import type { Wait } from "./waiting.js";

/** The options of a client. {} is right for a game. */
export interface Options {
  /** Where to keep the session; absent: in memory. Clients that share a store share a session. */
  store?: Store;
  /** Gets each change of the session. */
  onEvent?: (event: SessionEvent) => void;
  /** The time limit of one attempt; 0 or absent: 10 s, or 35 s for judgings and deletions, which may take 30 s. */
  timeoutMs?: number;
  /** The most attempts of one call; 0 or absent: 4. */
  attempts?: number;
  /** Allows http:// addresses of other machines. Anyone on the network can then read passwords and tokens. */
  allowHttp?: boolean;

  // For tests.
  fetch?: typeof globalThis.fetch;
  now?: () => number;
  wait?: Wait;
  random?: () => number;
}

/** Calls the API as one player. Concurrent calls are allowed. */
export class Client extends Reads {
  private readonly keeper: Keeper;
  private readonly caller: Caller;
  private readonly longMs: number;

  /**
   * Makes a client of the API at a base URL, and sends nothing. If the address is not safe (isSafe), it throws a
   * TypeError, unless allowHttp is set.
   */
  constructor(api: string, options: Options = {}) {
    super();
    if (!options.allowHttp && !isSafe(api)) {
      throw new TypeError(`anybody on the way to ${api} could read the password or the token: use https://, or set allowHttp`);
    }
    const { onEvent, now = Date.now } = options;
    const timeoutMs = options.timeoutMs || 10_000;
    const fetch: typeof globalThis.fetch = options.fetch ?? ((...request) => globalThis.fetch(...request));
    // If the listener throws or rejects, the client logs the error and goes on.
    const listener = async (event: SessionEvent) => onEvent?.(event);
    const tell = (event: SessionEvent) => void listener(event).catch((error: unknown) => console.error(error));
    const transport = new Transport(api.replace(/\/+$/, ""), fetch);
    const patience = new Patience(options.attempts, options.wait, options.random);
    const reach = new Reach(tell);
    this.keeper = new Keeper(options.store ?? memoryStore(), { transport, patience, reach, timeoutMs, now, tell });
    this.caller = new Caller(transport, patience, this.keeper, reach, timeoutMs);
    this.longMs = options.timeoutMs || 35_000;
  }

  /** Returns the session from the store, or null if the player must log in. */
  session(): Promise<Session | null> {
    return this.keeper.load();
  }

  /**
   * Returns the time of the service's clock in milliseconds, as Date.now() does, for countdowns. It is exact to the
   * second. Before the first access token, it is this machine's time.
   */
  serverTime(): number {
    return this.keeper.serverTime();
  }

  /** Creates a player with a ranch, gold and three animals, and logs in. */
  async register(registration: t.Registration, { signal }: CallOptions = {}): Promise<t.User> {
    const { email, username, password, ranchName } = registration;
    const request = post("/auth/register", { email, username, password, ranchName });
    return this.caller.change("register", request, { signal, open: true }, {
      done: async (answer) => {
        const { user, token, refreshToken } = read(answer, 201, shapes.isRegistered);
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

  /** Logs in. The new session replaces the old one, which the service does not end. */
  async login(email: string, password: string, { signal }: CallOptions = {}): Promise<t.Account> {
    const { user, token, refreshToken } = await this.logIn(email, password, signal);
    await this.keeper.start(user, token, refreshToken);
    return user;
  }

  /**
   * Ends the session here in any case, and asks the service to end it, too. Without its confirmation, the refresh token
   * may stay valid until it expires, and it throws. If the store may still have the session, it throws a StoreError.
   */
  async logout({ signal }: CallOptions = {}): Promise<void> {
    const { session, failure } = await this.keeper.end();
    if (session === null) return;
    const request = post("/auth/logout", { refreshToken: session.refreshToken });
    try {
      read(await this.caller.send(request, { signal, open: true }), 200, shapes.isDone);
    } catch (error) {
      throw failure === null ? error : new StoreError(new AggregateError([failure, error]));
    }
    if (failure !== null) throw new StoreError(failure);
  }

  /**
   * Changes the player's password. Every other session of the player ends, and this client goes on with a new one. A
   * wrong password is an ApiError with the code INVALID_CREDENTIALS.
   */
  async changePassword(currentPassword: string, newPassword: string, { signal }: CallOptions = {}): Promise<void> {
    const { userId: id, username } = await this.keeper.current(signal);
    const request = { method: "PUT", path: "/me/password", body: { currentPassword, newPassword } } as const;
    await this.caller.change("changePassword", request, { signal, player: id }, {
      done: async (answer) => {
        const { token, refreshToken } = read(answer, 200, shapes.isSession);
        await this.keeper.start({ id, username }, token, refreshToken, true);
        return true;
      },
      // The access token outlives the change, so the client can read the address to log in with.
      look: async () => {
        const { email } = await this.player(id, signal);
        try {
          const { token, refreshToken } = await this.logIn(email, newPassword, signal);
          await this.keeper.start({ id, username }, token, refreshToken, true);
          return true;
        } catch (error) {
          if (isRule(error)) return null;
          throw error;
        }
      },
    });
  }

  /** Changes the player's e-mail address, and returns the player. Sessions stay. */
  changeEmail(email: string, password: string, { signal }: CallOptions = {}): Promise<t.Player> {
    const request = { method: "PUT", path: "/me/email", body: { email, password } } as const;
    return this.caller.change("changeEmail", request, { signal }, {
      done: async (answer) => read(answer, 200, shapes.isIdentified<t.Player>),
      look: async (_, id) => {
        const player = await this.player(id, signal);
        return player.email === email.toLowerCase() ? player : null;
      },
    });
  }

  /** Deletes the player's account, and ends the session here. An account without a password needs none. */
  async deleteAccount(password?: string, { signal }: CallOptions = {}): Promise<void> {
    const request = { method: "DELETE", path: "/me", ...(password !== undefined && { body: { password } }) } as const;
    await this.caller.change<unknown>("deleteAccount", request, { signal, timeoutMs: this.longMs }, {
      done: async (answer) => read(answer, 200, shapes.isDone),
      looksWithoutSession: true,
      look: async (last, id) => {
        if (isRule(last)) return null;
        try {
          if (!(last instanceof SessionEndedError)) await this.player(id, signal);
        } catch (error) {
          if (!(error instanceof SessionEndedError)) throw error;
          last = error;
        }
        return last instanceof SessionEndedError && last.reason === "banned" ? true : null; // banned or deleted
      },
    });
    await this.keeper.end();
  }

  /** Returns the first page of shows, 50 at most, by closing time. */
  async shows(filter: ShowFilter = {}, options: CallOptions = {}): Promise<t.ListedShow[]> {
    return (await this.showsPage(filter, options)).items;
  }

  /** Returns a page of at most 50 shows. */
  showsPage(filter: ShowFilter = {}, { signal }: CallOptions = {}): Promise<Page<t.ListedShow>> {
    return this.page(showsPath(filter), { signal });
  }

  /** Yields all shows, page by page. */
  eachShow(filter: ShowFilter = {}, { signal }: CallOptions = {}): AsyncGenerator<t.ListedShow, void> {
    return this.each(showsPath(filter), { signal });
  }

  /** Returns a page of the caller's entries, newest first. */
  ownEntries(filter: OwnFilter = {}, { signal }: CallOptions = {}): Promise<Page<t.OwnEntry>> {
    return this.page(withQuery("/me/entries", { ...filter }), { signal });
  }

  /** Yields all entries of the caller, page by page. */
  eachOwnEntry(filter: OwnFilter = {}, { signal }: CallOptions = {}): AsyncGenerator<t.OwnEntry, void> {
    return this.each(withQuery("/me/entries", { ...filter }), { signal });
  }

  /** Returns a page of a show's entries, by rank if the show is completed. */
  showEntries(showId: string, at: EntriesAt = {}, { signal }: CallOptions = {}): Promise<Page<t.Entry>> {
    return this.page(entriesPath(showId, at), { signal });
  }

  /**
   * Yields a show's entries from the page at on. If the show is judged meanwhile, it goes on in the old order, without
   * scores.
   */
  eachEntry(showId: string, at: EntriesAt = {}, { signal }: CallOptions = {}): AsyncGenerator<t.Entry, void> {
    return this.each(entriesPath(showId, at), { signal });
  }

  /** Returns a show with its entries by rank. Entries without a rank are last, by the time of entry. */
  show(id: string, { signal }: CallOptions = {}): Promise<t.ShowDetail> {
    return this.get(showPath(id), shapes.isShow, signal);
  }

  /** Enters an animal for the show's fee. If an answer gets lost, the client tries again. The fee is paid once. */
  enter(showId: string, animalId: string, { signal }: CallOptions = {}): Promise<t.Entered> {
    return this.caller.change("enter", post(`${showPath(showId)}/enter`, { animalId }), { signal }, {
      done: async (answer) => ({ ...read(answer, 201, shapes.isEntered), resolved: false }),
      look: async (_, player) => enteredBy(animalId, await this.own(player, showId, signal)),
    });
  }

  /** Judges a show. If the result is resolved, another player may have judged the show. */
  judge(showId: string, { signal }: CallOptions = {}): Promise<t.Judged> {
    const way = { signal, timeoutMs: this.longMs };
    return this.caller.change("judge", post(`${showPath(showId)}/judge`), way, {
      done: async (answer) => ({ ...read(answer, 200, shapes.isJudged), resolved: false }),
      look: async () => this.judgedNow(showId, signal),
    });
  }

  /** Claims the caller's prize. If an answer gets lost, the client tries again. The prize is paid once. */
  claim(showId: string, { signal }: CallOptions = {}): Promise<t.Claimed> {
    return this.caller.change("claim", post(`${showPath(showId)}/claim-reward`), { signal }, {
      done: async (answer) => ({ ...read(answer, 200, shapes.isClaimed), resolved: false }),
      look: async (_, player) => claimedBy(await this.own(player, showId, signal)),
    });
  }

  /** Returns the active season with the caller's score, or null if no season is active. */
  async season({ signal }: CallOptions = {}): Promise<t.Season | null> {
    const season = await this.get("/events/season", shapes.isSeason, signal);
    return "active" in season && season.active === false ? null : (season as t.Season);
  }

  /** Returns a page of a season's standings. If asOf is another one than on the page before, begin again. */
  async standings(at: StandingsAt = {}, { signal }: CallOptions = {}): Promise<t.StandingsPage & Neighbours> {
    const path = withQuery("/events/season/standings", { ...at });
    const answer = await this.caller.send({ method: "GET", path }, { signal });
    return { ...read(answer, 200, shapes.isStandings), ...neighbours(answer) };
  }

  protected override async get<T>(path: string, is: shapes.Shape<T>, signal: AbortSignal | undefined): Promise<T> {
    return read(await this.caller.send({ method: "GET", path }, { signal }), 200, is);
  }

  private async logIn(email: string, password: string, signal: AbortSignal | undefined): Promise<LoggedIn> {
    const request = post("/auth/login", { email, password });
    return read(await this.caller.send(request, { signal, open: true }), 200, shapes.isLoggedIn);
  }

  private async player(player: string, signal: AbortSignal | undefined): Promise<t.Player> {
    const answer = await this.caller.send({ method: "GET", path: "/me" }, { signal, player });
    return read(answer, 200, shapes.isIdentified<t.Player>);
  }

  private async judgedNow(id: string, signal: AbortSignal | undefined): Promise<t.Judged | null> {
    try {
      return judged(await this.show(id, { signal }));
    } catch (error) {
      if (isRule(error) && error.status === 404) return null;
      throw error;
    }
  }

  // Returns the entries of a player in a show. If another player has logged in, it throws a SessionEndedError.
  private async own(player: string, show: string, signal: AbortSignal | undefined): Promise<t.OwnEntry[]> {
    const all: t.OwnEntry[] = [];
    const path = withQuery("/me/entries", { show, limit: 50 });
    for await (const entry of this.each<t.OwnEntry>(path, { signal, player })) all.push(entry);
    return all;
  }

  private async page<T>(path: string, way: Way): Promise<Page<T>> {
    const answer = await this.caller.send({ method: "GET", path }, way);
    const items = read(answer, 200, shapes.isList<T>);
    return { items, ...neighbours(answer) };
  }

  // Yields the items of the page at the path, and of all pages behind it.
  private async *each<T>(path: string, way: Way): AsyncGenerator<T, void> {
    for (let next: string | undefined = path; next !== undefined; ) {
      const answer = await this.caller.send({ method: "GET", path: next }, way);
      yield* read(answer, 200, shapes.isList<T>);
      next = linked(answer, "next");
    }
  }
}

type LoggedIn = shapes.Started<t.Account>;

function post(path: string, body?: object): Request {
  return { method: "POST", path, ...(body && { body }) };
}

function showPath(id: string): string {
  return `/events/shows/${encodeURIComponent(id)}`;
}

function entriesPath(show: string, at: EntriesAt): string {
  return withQuery(`${showPath(show)}/entries`, { ...at });
}
