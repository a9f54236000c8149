// The board of shows.
import { inOrder } from "../advice.js";
import { h } from "../dom.js";
import { fill, more, nothing } from "../parts/filling.js";
import { swap } from "../parts/focus.js";
import { byShow, ticket } from "../parts/ticket.js";
import { capital, prizesOf, tiers } from "../words.js";

/** @typedef {import("../game.js").Game} Game */

const statuses = /** @type {const} */ ([
  ["open", "Open"],
  ["completed", "Judged"],
  ["cancelled", "Cancelled"],
]);

/** @type {import("../router.js").MakeView} */
export function board(game, route, signal) {
  const tier = route.query.get("tier") ?? "";
  const status = route.query.get("status") || "open";
  const filter = { tier, status };
  const live = game.shows(filter);
  const list = h("div", {});
  const tierNav = h("nav", { class: "filters", "aria-label": "Tier" });
  const filled = fill(list, game, signal, {
    live,
    operation: "shows",
    render: ({ items, next }) => {
      showTiers(tierNav, game, filter);
      if (items.length === 0) return [nothing(empty(filter))];
      const own = byShow(game.own.value?.items ?? []);
      return [
        h(
          "ul",
          { class: "board", role: "list", "aria-label": "Shows" },
          ...inOrder(items, game).map((show) => ticket(show, own.get(show.id) ?? [], game, signal)),
        ),
        next && more("More shows", game, "shows", signal, () => live.more(signal)),
      ];
    },
    bones: 6,
    columns: "board",
  });
  showTiers(tierNav, game, filter);
  advise(game, signal, filled.redraw);
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
          "Choose by what the judges look for, by the prize and the fee. Anybody may call the judges at any time.",
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
 * Draws the tickets again when the player's entries, animals or gold have changed, which their marks and advice come
 * from. If reading them fails, the tickets stay as they are.
 * @param {Game} game
 * @param {AbortSignal} signal
 * @param {() => void} redraw
 */
function advise(game, signal, redraw) {
  const { own, animals, gold } = game;
  const known = () => JSON.stringify([own.value, animals.value, gold.value]);
  let drawn = known();
  const changed = () => {
    if (known() === drawn) return;
    drawn = known();
    redraw();
  };
  for (const live of [own, animals, gold]) live.watch(changed, signal);
  const read = () => void Promise.allSettled([own.read(signal), animals.value || animals.read(signal)]);
  game.whenBack(read, signal);
  read();
}

/** @typedef {{ tier: string, status: string }} Filter */

/**
 * Shows the tiers with prizes, and other tiers if the page has seen a show in them.
 * @param {HTMLElement} nav
 * @param {Game} game
 * @param {Filter} filter
 */
function showTiers(nav, game, filter) {
  const seen = [...game.tickets.values()].map(({ tier }) => tier).filter((tier) => !tiers.includes(tier));
  const all = ["", ...new Set([...tiers, ...seen.sort(), ...(filter.tier ? [filter.tier] : [])])];
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
