// The board of shows.
import { h } from "../dom.js";
import { fill, nothing } from "../parts/filling.js";
import { swap } from "../parts/focus.js";
import { ticket } from "../parts/ticket.js";
import { capital, prizesOf, tiers } from "../words.js";

/** @typedef {import("../game.js").Game} Game */
/** @typedef {import("../client/index.js").ListedShow} ListedShow */

const statuses = /** @type {const} */ ([
  ["open", "Open"],
  ["completed", "Judged"],
  ["cancelled", "Cancelled"],
]);
const most = 50;

/** @type {import("../router.js").MakeView} */
export function board(game, route, signal) {
  const tier = route.query.get("tier") ?? "";
  const status = route.query.get("status") || "open";
  const key = `shows ${tier} ${status}`;
  const { diary } = game.me;
  const list = h("div", {});
  const tierNav = h("nav", { class: "filters", "aria-label": "Tier" });
  const filter = { tier, status };
  showTiers(tierNav, game, filter);
  const render = (/** @type {ListedShow[]} */ shows) => {
    const others = shows.map((show) => show.tier).filter((one) => !tiers.includes(one));
    remember(game, others);
    showTiers(tierNav, game, filter);
    if (shows.length === 0) return [nothing(empty(filter))];
    const places = enterableFirst(shows, game.client.serverTime()).map((show) => ({ show, page: diary.page(show.id) }));
    return [
      h(
        "ul",
        { class: "board", role: "list", "aria-label": "Shows" },
        ...places.map(({ show, page }) => ticket(show, page, game, signal)),
      ),
      shows.length >= most && h("p", { class: "muted" }, `The board has room for ${most} shows; there may be more.`),
    ];
  };
  const filled = fill(list, game, signal, {
    key,
    operation: "shows",
    ask: async () => {
      const shows = await game.client.shows(filter, { signal });
      void lookAt(shows);
      return shows;
    },
    render,
    bones: 5,
  });
  /**
   * The list does not tell own entries: each show is looked at once, and again when something has become of it.
   * @param {ListedShow[]} shows
   */
  const lookAt = async (shows) => {
    const news = shows.filter((show) => {
      const page = diary.page(show.id);
      return page ? page.status !== show.status : show.entryCount > 0 && !diary.knows(show.id);
    });
    const ids = news.map(({ id }) => id);
    if (ids.length > 0) await game.look(ids, signal);
  };
  let timer = 0;
  const drawOwn = () => {
    const shows = /** @type {ListedShow[] | undefined} */ (game.answers.get(key));
    if (shows?.some((show) => diary.page(show.id)) && !signal.aborted) filled.redraw();
  };
  diary.kept.watch(() => {
    clearTimeout(timer);
    timer = setTimeout(drawOwn, 50); // many shows are looked at in a row
  }, signal);
  return {
    title: "Shows",
    ready: filled.ready,
    node: h(
      "div",
      {},
      h(
        "div",
        { class: "board-head" },
        h("h1", { class: "view-title" }, "Shows"),
        h(
          "p",
          { class: "muted" },
          "Choose by the tier, the fee, and the time that is left. A show may be judged as soon as somebody calls the judges.",
        ),
        tierNav,
        h(
          "nav",
          { class: "filters small-filters", "aria-label": "Status" },
          ...statuses.map(([value, label]) => link(label, { tier, status: value }, value === status)),
        ),
        tier && prizeLine(tier),
      ),
      list,
    ),
  };
}

/**
 * The order of the service, by closing time, but that those whose entry has closed stand behind.
 * @param {ListedShow[]} shows
 * @param {number} now
 */
function enterableFirst(shows, now) {
  const closed = (/** @type {ListedShow} */ show) =>
    show.status === "open" && new Date(show.entryClosesAt).getTime() <= now;
  return [...shows.filter((show) => !closed(show)), ...shows.filter(closed)];
}

/** @typedef {{ tier: string, status: string }} Filter */

/**
 * Tiers beyond those that pay are known once a show of theirs was on the board.
 * @param {Game} game
 * @param {string[]} others
 */
function remember(game, others) {
  const before = /** @type {string[]} */ (game.answers.get("other tiers") ?? []);
  game.answers.set("other tiers", [...new Set([...before, ...others])].sort());
}

/**
 * @param {HTMLElement} nav
 * @param {Game} game
 * @param {Filter} filter
 */
function showTiers(nav, game, filter) {
  const others = /** @type {string[]} */ (game.answers.get("other tiers") ?? []);
  const all = ["", ...new Set([...tiers, ...others, ...(filter.tier ? [filter.tier] : [])])];
  if (nav.childElementCount === all.length) return;
  swap(
    nav,
    ...all.map((tier) =>
      link(tier ? capital(tier) : "All tiers", { tier, status: filter.status }, tier === filter.tier),
    ),
  );
}

/**
 * @param {string} label
 * @param {Filter} filter
 * @param {boolean} chosen
 */
function link(label, { tier, status }, chosen) {
  const query = new URLSearchParams({ ...(tier && { tier }), ...(status !== "open" && { status }) }).toString();
  return h(
    "a",
    { href: `#/shows${query && `?${query}`}`, class: "filter", dir: "auto", "aria-current": chosen ? "true" : null },
    label,
  );
}

/** @param {string} tier */
function prizeLine(tier) {
  const [first, second, third] = prizesOf(tier);
  return h(
    "p",
    { class: "prize-line" },
    first
      ? `${capital(tier)} shows pay ${first}, ${second} and ${third} gold.`
      : `${capital(tier)} shows pay no gold, but count for the season.`,
  );
}

/** @param {Filter} filter */
function empty({ tier, status }) {
  const kind = tier ? `${tier} show` : "show";
  if (status === "completed") return `No ${kind} has been judged yet.`;
  if (status === "cancelled") return `No ${kind} was cancelled, and that is good news.`;
  return `No ${kind} is open just now. Look in again later${tier ? ", or at the other tiers" : ""}.`;
}
