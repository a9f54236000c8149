import { type CallOptions, Reads } from "./api.js";
import { Caller, isRule, type Way } from "./caller.js";
import { StoreError } from "./errors.js";
import { Keeper } from "./keeper.js";
import { each, type EntriesAt, type OwnFilter, type Page, pageOf, type ShowFilter, showsPath, withQuery } from "./lists.js";
import { claimedBy, enteredBy, judged } from "./lookup.js";
import { Patience } from "./patience.js";
import { Reach } from "./reach.js";
import { memoryStore, type Session, type SessionEvent, type Store } from "./session.js";
import * as shapes from "./shapes.js";
import { isSafe, read, type Request, Transport } from "./transport.js";
import type * as t from "./types.js";
import type { Wait } from "./waiting.js";

/** What a client goes by; {} is right for a game. */
export interface Options {
  /** Where the session is kept; absent: in memory. Clients that share a store share a session. */
  store?: Store;
  /** Is told what becomes of the session. */
  onEvent?: (event: SessionEvent) => void;
  /** Of one attempt; 0 or absent: 10 s, and 35 s for a judging, which the gateway ends at 30 s. */
  timeoutMs?: number;
  /** Of one call at most; 0 or absent: 4. */
  attempts?: number;
  /** Sends passwords and tokens over http:// to other machines, too: anybody on the way can read them. */
  allowHttp?: boolean;

  // For tests.
  fetch?: typeof globalThis.fetch;
  now?: () => number;
  wait?: Wait;
  random?: () => number;
}

/** Calls the API as one player. It may be used by many at once. */
export class Client extends Reads {
  private readonly keeper: Keeper;
  private readonly caller: Caller;
  private readonly judgingMs: number;

  /** Makes a client of the API at a base URL, which must be safe (isSafe) unless allowHttp says otherwise. It sends nothing. */
  constructor(api: string, options: Options = {}) {
    super();
    if (!options.allowHttp && !isSafe(api)) {
      throw new TypeError(`anybody on the way to ${api} could read the password or the token: use https://, or set allowHttp`);
    }
    const { onEvent, now = Date.now } = options;
    const timeoutMs = options.timeoutMs || 10_000;
    const fetch: typeof globalThis.fetch = options.fetch ?? ((...request) => globalThis.fetch(...request));
    // A listener that throws, at once or later, breaks nothing.
    const listener = async (event: SessionEvent) => onEvent?.(event);
    const tell = (event: SessionEvent) => void listener(event).catch((error: unknown) => console.error(error));
    const transport = new Transport(api.replace(/\/+$/, ""), fetch);
    const patience = new Patience(options.attempts, options.wait, options.random);
    const reach = new Reach(tell);
    this.keeper = new Keeper(options.store ?? memoryStore(), { transport, patience, reach, timeoutMs, now, tell });
    this.caller = new Caller(transport, patience, this.keeper, reach, timeoutMs);
    this.judgingMs = options.timeoutMs || 35_000;
  }

  /** Whose session there is, null where there is none. A session that was stored before is there from the start. */
  session(): Promise<Session | null> {
    return this.keeper.load();
  }

  /**
   * The service's clock as the last token showed it, to the second; this machine's where there was none. In
   * milliseconds, as Date.now() is; countdowns go by it.
   */
  serverTime(): number {
    return this.keeper.serverTime();
  }

  /** Makes a player, and logs in as that one. */
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

  /** Logs in; the session before is forgotten, and not logged out. */
  async login(email: string, password: string, { signal }: CallOptions = {}): Promise<t.Account> {
    const { user, token, refreshToken } = await this.logIn(email, password, signal);
    await this.keeper.start(user, token, refreshToken);
    return user;
  }

  /**
   * Ends the session here in any case, and in the service as far as it can be reached: an error says that it could not,
   * and that the refresh token lives on there until it expires; a StoreError says that the store may still have it.
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

  /** The shows of the first page, 50 at most, by closing time. */
  async shows(filter: ShowFilter = {}, options: CallOptions = {}): Promise<t.ListedShow[]> {
    return (await this.showsPage(filter, options)).items;
  }

  /** A page of 50 shows at most. */
  showsPage(filter: ShowFilter = {}, { signal }: CallOptions = {}): Promise<Page<t.ListedShow>> {
    return this.page(showsPath(filter), { signal });
  }

  /** All shows, page after page. */
  eachShow(filter: ShowFilter = {}, options: CallOptions = {}): AsyncGenerator<t.ListedShow, void> {
    return each(filter.after, (after) => this.showsPage({ ...filter, after }, options));
  }

  /** A page of the caller's entries, newest first. */
  ownEntries(filter: OwnFilter = {}, { signal }: CallOptions = {}): Promise<Page<t.OwnEntry>> {
    return this.page(withQuery("/me/entries", { ...filter }), { signal });
  }

  /** All entries of the caller, page after page. */
  eachOwnEntry(filter: OwnFilter = {}, options: CallOptions = {}): AsyncGenerator<t.OwnEntry, void> {
    return each(filter.after, (after) => this.ownEntries({ ...filter, after }, options));
  }

  /** A page of a show's entries: by rank once the show is completed. */
  showEntries(showId: string, at: EntriesAt = {}, { signal }: CallOptions = {}): Promise<Page<t.Entry>> {
    return this.page(withQuery(`${showPath(showId)}/entries`, { ...at }), { signal });
  }

  /** A show's entries from a page on, page after page. If the show is judged meanwhile, the order changes: begin again. */
  eachEntry(showId: string, at: EntriesAt = {}, options: CallOptions = {}): AsyncGenerator<t.Entry, void> {
    const { limit } = at;
    let from: EntriesAt = at;
    return each(undefined, (after) => {
      if (after !== undefined) from = { after, limit };
      return this.showEntries(showId, from, options);
    });
  }

  /** A show with its entries: by rank, those without one last, then by the time of entry. */
  show(id: string, { signal }: CallOptions = {}): Promise<t.ShowDetail> {
    return this.get(showPath(id), shapes.isShow, signal);
  }

  /** Enters an animal for the show's fee. It is repeated after a lost answer, and can charge once only. */
  enter(showId: string, animalId: string, { signal }: CallOptions = {}): Promise<t.Entered> {
    return this.caller.change("enter", post(`${showPath(showId)}/enter`, { animalId }), { signal }, {
      done: async (answer) => ({ ...read(answer, 201, shapes.isEntered), resolved: false }),
      look: async (_, player) => enteredBy(animalId, await this.own(player, showId, signal)),
    });
  }

  /** Judges a show. */
  judge(showId: string, { signal }: CallOptions = {}): Promise<t.Judged> {
    const way = { signal, timeoutMs: this.judgingMs };
    return this.caller.change("judge", post(`${showPath(showId)}/judge`), way, {
      done: async (answer) => ({ ...read(answer, 200, shapes.isJudged), resolved: false }),
      look: async () => this.judgedNow(showId, signal),
    });
  }

  /** Claims the caller's prize. It is repeated after a lost answer, and is paid once only. */
  claim(showId: string, { signal }: CallOptions = {}): Promise<t.Claimed> {
    return this.caller.change("claim", post(`${showPath(showId)}/claim-reward`), { signal }, {
      done: async (answer) => ({ ...read(answer, 200, shapes.isClaimed), resolved: false }),
      look: async (_, player) => claimedBy(await this.own(player, showId, signal)),
    });
  }

  /** The active season and the caller's score in it, null where there is none. */
  async season({ signal }: CallOptions = {}): Promise<t.Season | null> {
    const season = await this.get("/events/season", shapes.isSeason, signal);
    return "active" in season && season.active === false ? null : (season as t.Season);
  }

  protected override async get<T>(path: string, is: shapes.Shape<T>, signal: AbortSignal | undefined): Promise<T> {
    return read(await this.caller.send({ method: "GET", path }, { signal }), 200, is);
  }

  private async logIn(email: string, password: string, signal: AbortSignal | undefined): Promise<LoggedIn> {
    const request = post("/auth/login", { email, password });
    return read(await this.caller.send(request, { signal, open: true }), 200, shapes.isLoggedIn);
  }

  private async judgedNow(id: string, signal: AbortSignal | undefined): Promise<t.Judged | null> {
    try {
      return judged(await this.show(id, { signal }));
    } catch (error) {
      if (isRule(error) && error.status === 404) return null;
      throw error;
    }
  }

  // The entries of a player, who must be the caller still, in a show.
  private async own(player: string, show: string, signal: AbortSignal | undefined): Promise<t.OwnEntry[]> {
    const all: t.OwnEntry[] = [];
    const page = (after: string | undefined) =>
      this.page<t.OwnEntry>(withQuery("/me/entries", { show, limit: 50, after }), { signal, player });
    for await (const entry of each(undefined, page)) all.push(entry);
    return all;
  }

  private async page<T>(path: string, way: Way): Promise<Page<T>> {
    const answer = await this.caller.send({ method: "GET", path }, way);
    return pageOf(answer, read(answer, 200, shapes.isList<T>));
  }
}

type LoggedIn = shapes.Started<t.Account>;

function post(path: string, body?: object): Request {
  return { method: "POST", path, ...(body && { body }) };
}

function showPath(id: string): string {
  return `/events/shows/${encodeURIComponent(id)}`;
}
