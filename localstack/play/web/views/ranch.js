// The player's own: the ranch, the season, the animals, and the shows they are in.
import { coin, rankRibbon } from "../art/icons.js";
import { h, name, put } from "../dom.js";
import { animalCard } from "../parts/animal-card.js";
import { worker } from "../parts/dialog.js";
import { fill, nothing } from "../parts/filling.js";
import { swap } from "../parts/focus.js";
import { showKeys } from "../parts/keys.js";
import { bestRank, ownLine, tierClass, toClaim } from "../parts/ticket.js";
import { capital, day } from "../words.js";

/** @typedef {import("../game.js").Game} Game */

/** @type {import("../router.js").MakeView} */
export function ranch(game, _route, signal) {
  const season = h("div", { class: "stat" });
  const animals = h("div", { class: "herd" });
  const shows = h("div", {});
  const filled = fill(animals, game, signal, {
    key: "animals",
    operation: "animals",
    ask: () => game.client.animals({ signal }),
    render: (list) => (list.length > 0 ? list.map(animalCard) : [nothing("There are no animals on your ranch.")]),
  });
  fill(season, game, signal, {
    key: "season",
    operation: "season",
    ask: async () => (await game.season(signal)).season,
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
  const named = game.me.diary.ranch || `${game.me.username}’s ranch`;
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
        game.guestKeys && h("p", {}, worker("Show my keys", "small quiet", async () => keys(game, signal))),
        h("div", { class: "stats" }, goldStat(game, signal), season),
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
function keys({ guestKeys }, signal) {
  if (guestKeys) showKeys(guestKeys, signal, false);
}

/**
 * @param {Game} game
 * @param {AbortSignal} signal
 */
function goldStat(game, signal) {
  const { purse } = game.me;
  const place = h("div", { class: "stat" });
  const render = () =>
    put(
      place,
      h("span", { class: "stat-label" }, "Gold"),
      h("span", { class: "stat-value" }, coin(), purse.balance === null ? "?" : purse.balance.toLocaleString("en")),
      h(
        "span",
        { class: "stat-more" },
        purse.balance === null
          ? "log in again to know"
          : purse.unsure
            ? "as far as this device knows"
            : "in your purse",
      ),
    );
  render();
  purse.kept.watch(render, signal);
  return place;
}

/**
 * Shows with own entries. The service is asked what became of those that were open.
 * @param {HTMLElement} place
 * @param {Game} game
 * @param {AbortSignal} signal
 */
function ownShows(place, game, signal) {
  const { diary } = game.me;
  const render = () => {
    const pages = diary.pages;
    const order = pages
      .filter((page) => toClaim(page) > 0)
      .concat(pages.filter((page) => toClaim(page) === 0))
      .slice(0, 8);
    if (order.length === 0) {
      return swap(
        place,
        nothing(
          "None of your animals is in a show yet.",
          h("p", {}, h("a", { class: "button", href: "#/shows" }, "See the shows")),
        ),
      );
    }
    swap(
      place,
      h(
        "ul",
        { class: "own-shows", role: "list" },
        ...order.map((page) =>
          h(
            "li",
            { class: `own-show ${tierClass(page.tier)} ${toClaim(page) > 0 ? "waits" : ""}` },
            h(
              "div",
              {},
              h("a", { href: `#/shows/${encodeURIComponent(page.id)}` }, name(page.name)),
              h("p", { class: "muted" }, `${capital(page.tier)} · `, name(ownLine(page))),
            ),
            page.status === "completed" && rankRibbon(bestRank(page)),
          ),
        ),
      ),
    );
  };
  // Of those of which something may have become, the first to close are the likeliest.
  const look = () => {
    const due = diary.pages.filter((page) => page.status === "open" || toClaim(page) > 0).reverse();
    return game.look(
      due.slice(0, 20).map(({ id }) => id),
      signal,
    );
  };
  render();
  diary.kept.watch(render, signal);
  game.whenBack(() => void look(), signal);
  void look();
}
