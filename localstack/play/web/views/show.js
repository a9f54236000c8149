// A show: its terms, its entries, and all that can be done there.
import { coin, ribbon } from "../art/icons.js";
import { h, name, put } from "../dom.js";
import { worker } from "../parts/dialog.js";
import { entryList } from "../parts/entries.js";
import { fill, nothing } from "../parts/filling.js";
import { podium } from "../parts/podium.js";
import { fact, tierClass, when } from "../parts/ticket.js";
import { capital, fee, gold, ordinal, plural, prizesOf, status } from "../words.js";
import { results } from "./claiming.js";
import { chooseAnimal } from "./entering.js";
import { callJudges } from "./judging.js";

/** @typedef {import("../game.js").Game} Game */
/** @typedef {import("../client/index.js").ShowDetail} ShowDetail */
/** @typedef {import("../client/index.js").ListedShow} ListedShow */

/**
 * What the parts of this view share.
 * @typedef {object} Scene
 * @property {Game} game
 * @property {AbortSignal} signal
 * @property {HTMLElement} acts where errors of actions go
 * @property {() => Promise<void>} again asks for the show anew
 * @property {() => void} redraw shows anew what is known of it
 * @property {boolean} fresh it was judged just now
 */

/** @type {import("../router.js").MakeView} */
export function show(game, route, signal) {
  const id = route.path[1];
  const key = `show ${id}`;
  const heading = h("h1", { class: "view-title" }, name(knownName(game, id) || "A show"));
  const place = h("div", { class: "show-body" });
  const acts = h("div", { class: "acts-trouble" });
  /** @type {Scene} */
  const scene = { game, signal, acts, again: async () => {}, redraw: () => {}, fresh: false };
  const filled = fill(place, game, signal, {
    key,
    operation: "show",
    ask: () => game.show(id, signal),
    render: (detail) => {
      put(heading, name(detail.name));
      return content(detail, scene);
    },
  });
  Object.assign(scene, { again: filled.again, redraw: filled.redraw });
  return {
    title: knownName(game, id) || "A show",
    ready: filled.ready.then(() => heading.textContent ?? ""),
    node: h(
      "div",
      {},
      h("p", { class: "back" }, h("a", { href: "#/shows" }, "All shows")),
      h("header", { class: "show-head" }, heading),
      place,
    ),
  };
}

/**
 * @param {Game} game
 * @param {string} id
 */
function knownName(game, id) {
  const detail = /** @type {ShowDetail | undefined} */ (game.answers.get(`show ${id}`));
  return detail?.name ?? game.me.diary.page(id)?.name ?? "";
}

/**
 * @param {ShowDetail} show
 * @param {Scene} scene
 */
function content(show, scene) {
  const { game, signal } = scene;
  const { id: me } = game.me;
  const judged = show.status === "completed";
  const own = show.entries.filter((entry) => entry.playerId === me);
  const fresh = scene.fresh;
  scene.fresh = false;
  put(scene.acts);
  return [
    h(
      "section",
      { class: `sheet terms ${tierClass(show.tier)}`, "aria-label": "Terms" },
      h(
        "dl",
        { class: "facts" },
        fact("Tier", capital(show.tier)),
        fact("Status", status(show.status)),
        fact("Entry fee", fee(show.entryFee)),
        fact("Entries", plural(show.entries.length, "animal")),
        when(show, game, signal, () => scene.redraw()),
      ),
      prizes(show.tier),
      ...acts(show, own.length > 0, scene),
      scene.acts,
    ),
    judged && verdict(show, me, fresh),
    judged && own.length > 0 && results(show, scene),
    h(
      "section",
      { "aria-labelledby": "entries" },
      h("h2", { class: "ornate", id: "entries" }, judged ? "All ranks" : "Entries"),
      show.entries.length > 0
        ? entryList(show.entries, me, judged)
        : nothing(nobody(show, game)),
    ),
  ];
}

/**
 * @param {ShowDetail} show
 * @param {string} me
 * @param {boolean} fresh
 */
function verdict(show, me, fresh) {
  const heading = h(
    "h2",
    { class: "ornate", id: "verdict", tabindex: -1, "data-landing": fresh },
    "The judges have spoken",
  );
  if (fresh) requestAnimationFrame(() => heading.scrollIntoView({ block: "start", behavior: pace() }));
  const steps = podium(show.entries, show.tier, me, fresh) ?? nothing("There was nobody to rank.");
  return h("section", { "aria-labelledby": "verdict" }, heading, steps);
}

/** How the page goes to what has just happened. @returns {ScrollBehavior} */
const pace = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth");

/** @param {string} tier */
function prizes(tier) {
  const list = prizesOf(tier);
  const kinds = /** @type {const} */ (["first", "second", "third"]);
  return h(
    "div",
    { class: "prizes" },
    h("h2", { class: "prizes-title" }, "Prizes"),
    list.length > 0
      ? h(
          "ol",
          { class: "prize-list", role: "list" },
          ...list.map((amount, i) =>
            h(
              "li",
              {},
              ribbon(String(i + 1), kinds[i]),
              h("span", { class: "unseen" }, `${ordinal(i + 1)}: `),
              h("span", {}, coin(), gold(amount)),
            ),
          ),
        )
      : h("p", { class: "muted" }, "This tier pays no gold. It counts for the season."),
  );
}

/**
 * Whether entry is still possible, by the service's clock.
 * @param {ShowDetail} show
 * @param {Game} game
 */
const isEnterable = (show, game) =>
  show.status === "open" && new Date(show.entryClosesAt).getTime() > game.client.serverTime();

/**
 * @param {ShowDetail} show
 * @param {Game} game
 */
function nobody(show, game) {
  if (isEnterable(show, game)) return "Nobody is in yet. Be the first!";
  return show.status === "open" ? "Nobody is in, and entry has closed." : "Nobody took part.";
}

/**
 * What can be done now.
 * @param {ShowDetail} show
 * @param {boolean} mine own entries are in it
 * @param {Scene} scene
 */
function acts(show, mine, scene) {
  if (show.status === "cancelled")
    return [
      h(
        "p",
        { class: "muted" },
        mine
          ? "This show was cancelled, and your fee is back in your purse."
          : "This show was cancelled; all fees were given back.",
      ),
    ];
  if (show.status !== "open") return [];
  const enterable = isEnterable(show, scene.game);
  return [
    h(
      "div",
      { class: "acts" },
      enterable && worker("Enter an animal", "", () => chooseAnimal(show, scene)),
      worker("Judge this show", enterable ? "second" : "", async () => callJudges(show, scene)),
    ),
    h(
      "p",
      { class: "muted small-text" },
      enterable
        ? "Anybody may call the judges, at any time: then entry ends, and all animals are ranked at once."
        : "Entry has closed. Anybody may call the judges now.",
    ),
  ];
}
