// What every view gets: the client, who plays, what is kept of that player, and what has been loaded.
import { Diary } from "./diary.js";
import { isAway, isEnded } from "./errors.js";
import { Purse } from "./purse.js";
import { refunded } from "./words.js";

/** @typedef {import("./client/index.js").Client} Client */
/** @typedef {import("./client/index.js").ShowDetail} ShowDetail */
/** @typedef {import("./client/index.js").Season} Season */

/**
 * @typedef {object} Player
 * @property {string} id
 * @property {string} username
 */

export class Game {
  /** @type {Player | null} */
  player = null;
  /** @type {Purse | null} */
  purse = null;
  /** @type {Diary | null} */
  diary = null;
  /** @type {{ email: string, password: string } | null} of a guest, until they have been shown */
  credentials = null;
  /** Answers of this page, by what was asked: what is shown until there are newer ones. @type {Map<string, unknown>} */
  answers = new Map();
  /** Is called when somebody else plays. */
  changed = () => {};
  /** Is called when an answer says that the service is not there. */
  lost = () => {};
  /** Is called when an answer says that there is no session, whatever was known of one. */
  ended = () => {};
  /** @type {Set<() => void>} */
  #waiting = new Set();

  /**
   * @param {Client} client
   * @param {import("./api.js").Api} api
   * @param {Storage | null} store
   */
  constructor(client, api, store) {
    this.client = client;
    this.api = api;
    this.store = store;
  }

  /**
   * Goes on as whoever the session says, or as nobody.
   * @param {Player | null} player
   */
  resume(player) {
    if (player?.id === this.player?.id) return;
    this.#play(player);
    this.changed();
  }

  /**
   * Begins to play as somebody who has just registered or logged in.
   * @param {{ id: string, username: string, goldBalance: number }} user
   * @param {string | undefined} ranch its name, where there is one
   */
  arrive(user, ranch) {
    this.#play({ id: user.id, username: user.username });
    this.purse?.begin(user.goldBalance);
    if (ranch) this.diary?.nameRanch(ranch);
    this.changed();
  }

  /**
   * Takes note of what went wrong with a call, as far as that concerns more than the call.
   * @param {unknown} error
   */
  failed(error) {
    if (isAway(error)) this.lost();
    if (isEnded(error)) this.ended();
  }

  /** @param {Player | null} player */
  #play(player) {
    this.purse?.kept.close();
    this.diary?.kept.close();
    this.answers.clear();
    this.player = player;
    const owner = player ? `${player.id}@${this.api.url}` : "";
    this.purse = player ? new Purse(this.store, owner) : null;
    this.diary = player ? new Diary(this.store, owner) : null;
  }

  /** Who plays; only views for players ask. */
  get me() {
    if (!this.player || !this.purse || !this.diary) throw new Error("nobody plays");
    return { ...this.player, purse: this.purse, diary: this.diary };
  }

  /**
   * Takes note of a show's own entries, and of what its end gave back.
   * @param {ShowDetail} show
   */
  note(show) {
    const { id, purse, diary } = this.me;
    diary.note(show, id);
    if (show.status === "cancelled") purse.refund(show.id, refunded(show.name));
  }

  /**
   * A show as it is now.
   * @param {string} id
   * @param {AbortSignal} signal
   */
  async show(id, signal) {
    const show = await this.client.show(id, { signal });
    if (this.player) this.note(show);
    return show;
  }

  /**
   * Looks at shows, two at a time, for own entries. What cannot be looked at now is left for another time.
   * @param {string[]} ids
   * @param {AbortSignal} signal
   */
  async look(ids, signal) {
    const rest = [...ids];
    const worker = async () => {
      for (let id = rest.shift(); id !== undefined && !signal.aborted; id = rest.shift()) await this.show(id, signal);
    };
    await Promise.allSettled([worker(), worker()]);
  }

  /**
   * The season and the score, and how much more that is than when it was last asked for.
   * @param {AbortSignal} [signal]
   * @returns {Promise<{ season: Season | null, more: number }>}
   */
  async season(signal) {
    const before = /** @type {Season | null | undefined} */ (this.answers.get("season"));
    const season = await this.client.season({ signal });
    this.answers.set("season", season);
    const more = season && before && before.id === season.id ? season.mySeasonScore - before.mySeasonScore : 0;
    return { season, more };
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

  /** Tells those who wait that the service answers again. */
  isBack() {
    for (const again of [...this.#waiting]) again();
  }
}
