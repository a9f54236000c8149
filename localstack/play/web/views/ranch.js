// The player's own view: the ranch, the season, the animals, and their shows.
import { coin } from "../art/icons.js";
import { h, name, put } from "../dom.js";
import { animalCard } from "../parts/animal-card.js";
import { worker } from "../parts/dialog.js";
import { fill, nothing } from "../parts/filling.js";
import { swap } from "../parts/focus.js";
import { showKeys } from "../parts/keys.js";
import { ownShow, ownShows } from "../parts/own-shows.js";
import { byShow, toClaim } from "../parts/ticket.js";
import { day, gold } from "../words.js";

/** @typedef {import("../game.js").Game} Game */

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
  ownShows(shows, game, signal, game.own);
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
      olderPrizes(game, signal),
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
function nextStep({ waiting }, signal) {
  const place = h("p", { class: "next-step" });
  const render = () => {
    const [first] = byShow(waiting.value ?? []).values();
    swap(
      place,
      first
        ? h("a", { class: "button gold-button", href: `#/shows/${encodeURIComponent(first[0].showId)}` }, `Claim ${gold(toClaim(first))}`)
        : h("a", { class: "button", href: "#/shows" }, "See the shows"),
    );
  };
  render();
  waiting.watch(render, signal);
  return place;
}

/**
 * Lists the shows of other seasons with a prize to claim. Those of this season are among the player's shows.
 * @param {Game} game
 * @param {AbortSignal} signal
 */
function olderPrizes({ waiting, season }, signal) {
  const place = h("section", { "aria-labelledby": "prizes" });
  const render = () => {
    const older = (waiting.value ?? []).filter(({ seasonId }) => season.value === null || (season.value && seasonId !== season.value.id));
    swap(
      place,
      ...(older.length > 0
        ? [
            h("h2", { class: "ornate", id: "prizes" }, "Prizes of past seasons"),
            h("ul", { class: "own-shows", role: "list", "aria-label": "Prizes of past seasons" }, ...[...byShow(older).values()].map(ownShow)),
          ]
        : []),
    );
    place.hidden = older.length === 0;
  };
  render();
  for (const live of [waiting, season]) live.watch(render, signal);
  return place;
}
