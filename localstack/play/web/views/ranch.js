// The player's own view: the ranch, the season, the animals, and their shows.
import { coin, rankRibbon } from "../art/icons.js";
import { h, name, put } from "../dom.js";
import { animalCard } from "../parts/animal-card.js";
import { worker } from "../parts/dialog.js";
import { fill, more, nothing } from "../parts/filling.js";
import { swap } from "../parts/focus.js";
import { showKeys } from "../parts/keys.js";
import { bestRank, byShow, ownLine, tierClass, toClaim } from "../parts/ticket.js";
import { capital, day, gold } from "../words.js";

/** @typedef {import("../game.js").Game} Game */

/** The number of shows at first. */
const few = 8;

/** @type {import("../router.js").MakeView} */
export function ranch(game, _route, signal) {
  const season = h("div", { class: "stat" });
  const animals = h("div", { class: "herd" });
  const shows = h("div", {});
  const filled = fill(animals, game, signal, {
    live: game.animals,
    operation: "animals",
    render: (list) => (list.length > 0 ? list.map(animalCard) : [nothing("There are no animals on your ranch.")]),
  });
  fill(season, game, signal, {
    live: game.season,
    operation: "season",
    bones: 1,
    render: (now) =>
      now
        ? [
            h("span", { class: "stat-label" }, "Season score"),
            h("span", { class: "stat-value" }, now.mySeasonScore.toLocaleString("en")),
            h("span", { class: "stat-more" }, name(now.name), ` until ${day(now.endDate)}`),
          ]
        : [
            h("span", { class: "stat-label" }, "Season score"),
            h("span", { class: "stat-value" }, "–"),
            h("span", { class: "stat-more" }, "No season is on"),
          ],
  });
  ownShows(shows, game, signal);
  const named = game.me.ranch || `${game.me.username}’s ranch`;
  return {
    title: "Your ranch",
    ready: filled.ready,
    node: h(
      "div",
      {},
      h(
        "section",
        { class: "sheet signboard", "aria-labelledby": "ranch-title" },
        h("h1", { class: "view-title over", id: "ranch-title" }, "Your ranch"),
        h("p", { class: `ranch-name ${named.length > 40 ? "long" : ""}` }, name(named)),
        h("p", { class: "muted" }, "kept by ", name(game.me.username, "player-name")),
        h("div", { class: "stats" }, goldStat(game, signal), season),
        nextStep(game, signal),
        h("p", { class: "account-links" }, ...accountLinks(game, signal)),
      ),
      h(
        "section",
        { "aria-labelledby": "own-shows" },
        h("h2", { class: "ornate", id: "own-shows" }, "Your shows"),
        shows,
      ),
      h("section", { "aria-labelledby": "animals" }, h("h2", { class: "ornate", id: "animals" }, "Animals"), animals),
    ),
  };
}

/**
 * @param {Game} game
 * @param {AbortSignal} signal
 */
function accountLinks({ guestKeys: keys }, signal) {
  if (!keys) return [h("a", { href: "#/account" }, "Your account")];
  return [
    h("a", { class: "button small second", href: "#/account" }, "Keep this ranch"),
    worker("Show my keys", "small quiet", async () => showKeys(keys, signal, false)),
  ];
}

/**
 * @param {Game} game
 * @param {AbortSignal} signal
 */
function goldStat({ gold }, signal) {
  const place = h("div", { class: "stat" });
  const render = () =>
    put(
      place,
      h("span", { class: "stat-label" }, "Gold"),
      h("span", { class: "stat-value" }, coin(), gold.value?.toLocaleString("en") ?? "–"),
      h("span", { class: "stat-more" }, gold.failed ? "not current: the fair has not answered" : "in your purse"),
    );
  render();
  gold.watch(render, signal);
  return place;
}

/**
 * Leads to the show of the next prize to claim, or else to the shows.
 * @param {Game} game
 * @param {AbortSignal} signal
 */
function nextStep({ own }, signal) {
  const place = h("p", { class: "next-step" });
  const render = () => {
    const [waiting] = [...byShow(own.value?.items ?? []).values()].filter((entries) => toClaim(entries) > 0);
    swap(
      place,
      waiting
        ? h("a", { class: "button gold-button", href: `#/shows/${encodeURIComponent(waiting[0].showId)}` }, `Claim ${gold(toClaim(waiting))}`)
        : h("a", { class: "button", href: "#/shows" }, "See the shows"),
    );
  };
  render();
  own.watch(render, signal);
  return place;
}

/**
 * Lists the shows with the player's entries. Shows with a prize to claim come first.
 * @param {HTMLElement} place
 * @param {Game} game
 * @param {AbortSignal} signal
 */
function ownShows(place, game, signal) {
  const live = game.own;
  let most = few;
  const filled = fill(place, game, signal, {
    live,
    operation: "own",
    columns: "own-shows",
    render: ({ items, next }) => {
      if (items.length === 0) {
        return [nothing("None of your animals is in a show yet.")];
      }
      const shows = [...byShow(items).values()];
      const order = [...shows.filter((own) => toClaim(own) > 0), ...shows.filter((own) => toClaim(own) === 0)];
      return [
        h("ul", { class: "own-shows", role: "list", "aria-label": "Your shows" }, ...order.slice(0, most).map(ownShow)),
        (next || order.length > most) &&
          more("More of your shows", game, "own", signal, async () => {
            const loaded = order.length;
            most += 3 * few;
            if (most > loaded && next) await live.more(signal);
            else filled.redraw();
          }),
      ];
    },
  });
}

/** @param {import("../client/index.js").OwnEntry[]} own */
function ownShow(own) {
  const [{ showId, showName, showStatus, tier }] = own;
  return h(
    "li",
    { class: `own-show ${tierClass(tier)} ${toClaim(own) > 0 ? "waits" : ""}` },
    h(
      "div",
      {},
      h("a", { href: `#/shows/${encodeURIComponent(showId)}` }, name(showName)),
      h("p", { class: "muted" }, `${capital(tier)} · `, name(ownLine(own))),
    ),
    showStatus === "completed" && rankRibbon(bestRank(own)),
  );
}
