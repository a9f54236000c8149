// A season: its ranking with the player's own place, and the player's shows in it.
import { h, name } from "../dom.js";
import { fill, nothing } from "../parts/filling.js";
import { ownShows } from "../parts/own-shows.js";
import { day } from "../words.js";
import { places } from "./ranking.js";

/** @type {import("../router.js").MakeView} */
export function season(game, route, signal) {
  const wanted = route.query.get("id") ?? "";
  const heading = h("h1", { class: "view-title" }, "Season");
  const seasons = h("div", {});
  const ranking = h("div", {});
  const shows = h("div", {});
  const filled = fill(seasons, game, signal, {
    live: game.seasons,
    operation: "seasons",
    bones: 1,
    render: (all) => {
      const begun = all.filter(({ startDate }) => new Date(startDate).getTime() <= game.client.serverTime());
      const chosen = begun.find(({ id, isActive }) => (wanted ? id === wanted : isActive)) ?? (wanted ? undefined : begun[0]);
      if (!chosen) return [nothing("There is no such season.")];
      heading.replaceChildren(name(chosen.name));
      return [
        h("p", { class: "muted" }, `${day(chosen.startDate)} to ${day(chosen.endDate)}${chosen.isActive ? "" : " · over"}`),
        begun.length > 1 &&
          h(
            "nav",
            { class: "filters small-filters", "aria-label": "Seasons" },
            ...begun.map(({ id, name: label }) =>
              h("a", { class: "filter", href: `#/season?id=${id}`, "aria-current": id === chosen.id ? "true" : null }, name(label)),
            ),
          ),
      ];
    },
  });
  places(ranking, game, wanted, signal);
  ownShows(shows, game, signal, game.ofSeason(wanted));
  return {
    title: "Season",
    ready: filled.ready.then(() => heading.textContent ?? ""),
    node: h(
      "div",
      {},
      h("header", { class: "board-head" }, heading, seasons),
      h("section", { "aria-labelledby": "ranking" }, h("h2", { class: "ornate", id: "ranking" }, "Ranking"), ranking),
      h("section", { "aria-labelledby": "own-shows" }, h("h2", { class: "ornate", id: "own-shows" }, "Your shows"), shows),
    ),
  };
}
