// What every view gets: the client, who plays, what is kept of that player, and what has been loaded.
import { Diary } from "./diary.js";
import { isAway, isEnded } from "./errors.js";
import { Keyring } from "./keyring.js";
import { feeKey, prizeKey, Purse } from "./purse.js";
import { claimed, entered, prize, refunded } from "./words.js";

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
  /** Is called when a view has got what it asked for. */
  reached = () => {};
  /** Is called when an answer says that there is no session, whatever was known of one. */
  ended = () => {};
  /**
   * Is called with what has turned out well after all.
   * @type {(text: string) => void}
   */
  tell = () => {};
  /** @type {Set<() => void>} */
  #waiting = new Set();
  /** How often each show was asked for. @type {Map<string, number>} */
  #asks = new Map();

  /**
   * @param {Client} client
   * @param {import("./api.js").Api} api
   * @param {Storage | null} store
   */
  constructor(client, api, store) {
    this.client = client;
    this.api = api;
    this.store = store;
    this.keyring = new Keyring(store, api.url);
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

  /** Of whoever plays, null where that is no guest of this device. */
  get guestKeys() {
    return this.player && this.keyring.of(this.player.id);
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
   * Takes note of what a show says of own entries, and of their gold. What this device did not know of may be in the
   * balance already, or not.
   * @param {ShowDetail} show
   */
  note(show) {
    const { id, purse, diary } = this.me;
    const before = diary.page(show.id);
    const own = show.entries.filter((entry) => entry.playerId === id);
    const costs = show.entryFee > 0;
    for (const { animalId, animalName } of own) {
      const key = feeKey(show.id, animalId);
      const known = diary.hasEntry(show.id, animalId);
      if (purse.awaits(key)) this.#made(key, known, entered.said(animalName, show.name, true));
      else if (costs && !known && !purse.knows(key)) purse.doubt();
    }
    const won = prize(show.tier, own[0]?.rank ?? null); // entries are in the order of their ranks
    if (own.some((entry) => entry.rewardClaimed)) {
      const key = prizeKey(show.id);
      if (purse.awaits(key)) this.#made(key, before?.claimed ?? false, claimed.said(won, true));
      else if (won > 0 && !purse.knows(key) && !before?.claimed) purse.doubt();
    }
    if (show.status === "cancelled") {
      const unseen = own.some(({ animalId }) => !purse.paid(feeKey(show.id, animalId)));
      if (costs && unseen && before?.status !== "cancelled") purse.doubt();
      purse.refund(show.id, refunded(show.name));
    }
    diary.note(show, id);
  }

  /**
   * A show shows that an attempt has been made.
   * @param {string} key
   * @param {boolean} before it was made before the attempt
   * @param {string} says
   */
  #made(key, before, says) {
    const { purse } = this.me;
    const lost = purse.isLost(key);
    if (before) purse.mistrust(key);
    else purse.settle(key);
    if (lost) this.tell(says);
  }

  /**
   * A show as it is now. Of answers that have overtaken each other, the one that was asked for last is noted.
   * @param {string} id
   * @param {AbortSignal} signal
   */
  async show(id, signal) {
    const ask = this.overtake(id);
    const { player } = this;
    const show = await this.client.show(id, { signal });
    if (player && player === this.player && this.#asks.get(id) === ask) this.note(show);
    return show;
  }

  /**
   * Answers about a show that are under way are not noted any more: they are older than what is known now.
   * @param {string} id
   */
  overtake(id) {
    const ask = (this.#asks.get(id) ?? 0) + 1;
    this.#asks.set(id, ask);
    return ask;
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

  /** Tells those who wait that the service answers again, and whether there are any. */
  isBack() {
    for (const again of [...this.#waiting]) again();
    return this.#waiting.size > 0;
  }
}
