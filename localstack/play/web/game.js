// The state that views share: the client, the player, and the answers that have been loaded.
import { isAway, isEnded, isOfService } from "./errors.js";
import { lookFor } from "./judges.js";
import { Kept } from "./keep.js";
import { Keyring } from "./keyring.js";
import { Live, Paged } from "./live.js";
import { optional } from "./optional.js";
import { all, headOfOwn, readShow } from "./show-reader.js";

/** @typedef {import("./client/index.js").Client} Client */
/** @typedef {import("./client/index.js").ListedShow} ListedShow */
/** @typedef {import("./client/index.js").OwnEntry} OwnEntry */
/** @typedef {import("./client/index.js").Season} Season */
/** @typedef {import("./show-reader.js").Sight} Sight */
/** @typedef {import("./show-reader.js").Head & { entryCount?: number }} Ticket */
/** @typedef {ListedShow & { looked: import("./judges.js").Favourites | null }} BoardShow */

/**
 * @typedef {object} Player
 * @property {string} id
 * @property {string} username
 */

/**
 * What does not work at present. The service does not answer a player ("service") or a visitor ("outside"), or cannot
 * renew the player's log-in ("session").
 * @typedef {"service" | "outside" | "session"} Loss
 */

const ownPage = 50;

export class Game {
  /** @type {Player | null} */
  player = null;
  /** Whether a player has played on this page before. */
  returning = false;
  /** @type {import("./keyring.js").Keys | null} of a guest, until they have been shown */
  credentials = null;
  /** The last known data of shows, by id, such as a show's name while it loads. @type {Map<string, Ticket>} */
  tickets = new Map();
  /** Is called when the player changes. */
  changed = () => {};
  /** Is called when the service does not answer, or cannot renew the log-in. @type {(loss: Loss) => void} */
  lost = () => {};
  /** Is called when a view has got its answer. */
  reached = () => {};
  /** Is called when an answer says that the session has ended. */
  ended = () => {};
  /** @type {Set<() => void>} */
  #waiting = new Set();
  /** @type {Map<string, Live<any>>} */
  #lives = new Map();
  /** Other tabs of the same player. @type {BroadcastChannel | null} */
  #tabs = null;

  /**
   * @param {Client} client
   * @param {import("./api.js").Api} api
   * @param {Storage | null} store
   */
  constructor(client, api, store) {
    this.client = client;
    this.api = api;
    this.keyring = new Keyring(store, api.url);
    /** The ranches' names by player: only the service's answer to a log-in has the name. */
    this.ranches = new Kept(store, `ranch.names.${api.url}`, () => /** @type {Record<string, string>} */ ({}));
  }

  /**
   * Continues as the session's player, or without one.
   * @param {Player | null} player
   */
  resume(player) {
    if (player?.id === this.player?.id) return;
    this.#play(player);
    this.changed();
  }

  /**
   * Begins to play after a registration or a log-in.
   * @param {{ id: string, username: string, goldBalance: number }} user
   * @param {string | undefined} ranch its name, if it is known
   */
  arrive(user, ranch) {
    this.#play({ id: user.id, username: user.username });
    this.gold.set(user.goldBalance);
    if (ranch) this.ranches.update((names) => (names[user.id] = ranch));
    this.changed();
  }

  /** The keys of the current guest, or null if the player is not a guest of this device. */
  get guestKeys() {
    return this.player && this.keyring.of(this.player.id);
  }

  /**
   * Handles a failed call, if the failure concerns more than the call.
   * @param {unknown} error
   * @returns {Promise<boolean>} whether the page reports the failure once for all of its parts
   */
  async failed(error) {
    if (isEnded(error)) this.ended();
    if (!isOfService(error)) return false;
    const whole = isAway(error) || (await this.#isUnchecked());
    if (whole) await this.unanswered();
    return whole;
  }

  /** Handles a call without an answer. */
  async unanswered() {
    const loss = (await this.#isUnchecked()) ? "session" : "service";
    this.lost(this.player ? loss : "outside");
  }

  /** Whether the access token has expired, or comes from the future: a call that fails then could not get a new one. */
  async #isUnchecked() {
    const session = await this.client.session();
    if (!session || session.lifetimeMs === 0) return false;
    const age = Date.now() - Date.parse(session.receivedAt);
    return age < 0 || age >= session.lifetimeMs;
  }

  /** @param {Player | null} player */
  #play(player) {
    this.returning ||= this.player !== null;
    this.player = player;
    this.#lives.clear();
    this.tickets.clear();
    this.#tabs?.close();
    this.#tabs = player && optional(() => new BroadcastChannel(`ranch.gold.${player.id}@${this.api.url}`));
    this.#tabs?.addEventListener("message", () => void this.readGold());
  }

  /** The current player. Only views for players ask for it. */
  get me() {
    if (!this.player) throw new Error("nobody plays");
    return { ...this.player, ranch: this.ranches.get()[this.player.id] ?? "" };
  }

  /** The player's account with the e-mail address. @returns {Live<import("./client/index.js").Player>} */
  get account() {
    return this.#live("account", () => new Live((_, signal) => this.client.me({ signal })));
  }

  /** The player's gold, as the service returned it last. The page does not compute it. @returns {Live<number>} */
  get gold() {
    return this.#live("gold", () => new Live(async () => (await this.client.me()).goldBalance));
  }

  /** Reads the gold. If that fails, the purse shows the failure. */
  async readGold() {
    try {
      await this.gold.read();
    } catch (error) {
      if (isEnded(error)) this.ended();
    }
  }

  /** Reads the gold after a change of it, here and in other tabs. */
  goldMoved() {
    optional(() => this.#tabs?.postMessage(""));
    void this.readWaiting();
    return this.readGold();
  }

  /** Reads which prizes wait. If that fails, the last answer stays. */
  readWaiting() {
    return this.waiting.read().catch(() => {});
  }

  /** The player's entries of the season, newest first. @returns {Paged<OwnEntry>} */
  get own() {
    return this.#live(
      "own",
      () =>
        new Paged(async (after, signal) => {
          const page = await this.client.ownEntries({ after, limit: ownPage }, { signal });
          for (const entry of page.items) this.#see(headOfOwn(entry));
          return page;
        }),
    );
  }

  /** The player's entries with a prize to claim, of all seasons. @returns {Live<OwnEntry[]>} */
  get waiting() {
    return this.#live("waiting", () => new Live((_, signal) => all(this.client.eachOwnEntry({ unclaimed: true, limit: ownPage }, { signal }))));
  }

  /** @returns {Live<import("./client/index.js").ListedSeason[]>} */
  get seasons() {
    return this.#live("seasons", () => new Live((_, signal) => this.client.seasons({ signal })));
  }

  /** The player's entries of a season, newest first. @param {string} season "" for the active one @returns {Paged<OwnEntry>} */
  ofSeason(season) {
    if (!season) return this.own;
    return this.#live(
      `own ${season}`,
      () => new Paged((after, signal) => this.client.ownEntries({ season, after, limit: ownPage }, { signal })),
    );
  }

  /** @param {string} season "" for the active one @returns {Live<import("./views/ranking.js").Ranking>} */
  ranking(season) {
    return this.#live(`ranking ${season}`, () => new Live((_, signal) => this.client.standings({ season }, { signal })));
  }

  /** @returns {Live<import("./client/index.js").Animal[]>} */
  get animals() {
    return this.#live("animals", () => new Live((_, signal) => this.client.animals({ signal })));
  }

  /** @returns {Live<Season | null>} */
  get season() {
    return this.#live("season", () => new Live((_, signal) => this.client.season({ signal })));
  }

  /**
   * Shows with their favourite traits.
   * @param {{ tier: string, status: string }} filter
   * @returns {Paged<BoardShow>}
   */
  shows(filter) {
    return this.#live(
      `shows ${filter.tier} ${filter.status}`,
      () =>
        new Paged(async (after, signal) => {
          const { items, next } = await this.client.showsPage({ ...filter, after }, { signal });
          for (const show of items) this.#see(show);
          /** @type {BoardShow[]} */
          const shows = await Promise.all(items.map(async (show) => ({ ...show, looked: await lookFor(show.id) })));
          return { items: shows, next };
        }),
    );
  }

  /** @param {string} id @returns {Live<Sight>} */
  show(id) {
    return this.#live(
      `show ${id}`,
      () =>
        new Live(async (_, signal) => {
          const sight = await readShow(this, id, signal);
          this.#see(sight.head);
          return sight;
        }),
    );
  }

  /** @param {Ticket} ticket */
  #see(ticket) {
    this.tickets.set(ticket.id, { ...this.tickets.get(ticket.id), ...ticket });
  }

  /**
   * Returns the value under a key, which the page keeps as long as the same player plays.
   * @template {Live<any>} L
   * @param {string} key
   * @param {() => L} make
   * @returns {L}
   */
  #live(key, make) {
    const known = this.#lives.get(key) ?? make();
    this.#lives.set(key, known);
    return /** @type {L} */ (known);
  }

  /**
   * Calls when the service answers again, until the signal is aborted.
   * @param {() => void} again
   * @param {AbortSignal} signal
   */
  whenBack(again, signal) {
    this.#waiting.add(again);
    signal.addEventListener("abort", () => this.#waiting.delete(again));
  }

  /** Lets the waiting views ask again when the service answers, and returns whether there are such views. */
  isBack() {
    if (this.player) void this.readGold();
    for (const again of [...this.#waiting]) again();
    return this.#waiting.size > 0;
  }
}
