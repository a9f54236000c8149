// A show: its terms, its entries, and its actions.
import { isEnterable } from "../advice.js";
import { coin, ribbon } from "../art/icons.js";
import { h, name, put } from "../dom.js";
import { optional } from "../optional.js";
import { worker } from "../parts/dialog.js";
import { entryPages } from "../parts/entries.js";
import { fill, nothing } from "../parts/filling.js";
import { placed, podium } from "../parts/podium.js";
import { fact, judgesLine, size, tierClass, when } from "../parts/ticket.js";
import { capital, fee, gold, ordinal, prizesOf, status } from "../words.js";
import { results } from "./claiming.js";
import { chooseAnimal } from "./entering.js";
import { callJudges } from "./judging.js";

/** @typedef {import("../game.js").Game} Game */
/** @typedef {import("../show-reader.js").Sight} Sight */
/** @typedef {import("../show-reader.js").Head} Head */

/**
 * The values that the parts of this view share.
 * @typedef {object} Scene
 * @property {Game} game
 * @property {AbortSignal} signal
 * @property {HTMLElement} acts the place for errors of actions
 * @property {() => Promise<void>} again reads the show again
 * @property {() => void} redraw draws the show again
 * @property {boolean} fresh it was judged just now
 */

/** @type {import("../router.js").MakeView} */
export function show(game, route, signal) {
  const id = route.path[1];
  const live = game.show(id);
  const known = game.tickets.get(id)?.name ?? "A show";
  const heading = h("h1", { class: "view-title" }, name(known));
  const place = h("div", { class: "show-body" });
  const acts = h("div", { class: "acts-trouble" });
  /** @type {Scene} */
  const scene = { game, signal, acts, again: async () => {}, redraw: () => {}, fresh: false };
  const filled = fill(place, game, signal, {
    live,
    operation: "show",
    render: (sight) => {
      put(heading, name(sight.head.name));
      return content(sight, scene);
    },
  });
  Object.assign(scene, { again: filled.again, redraw: filled.redraw });
  return {
    title: known,
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
 * @param {Sight} sight
 * @param {Scene} scene
 */
function content(sight, scene) {
  const { game, signal } = scene;
  const { head, looked, own, first } = sight;
  const judged = head.status === "completed";
  const fresh = scene.fresh;
  scene.fresh = false;
  put(scene.acts);
  const later = fresh ? `later after-${placed(first.items).length}` : "";
  const terms = h(
    "section",
    { class: `sheet terms ${tierClass(head.tier)}`, "aria-label": "Terms" },
    h(
      "dl",
      { class: "facts" },
      fact("Tier", capital(head.tier)),
      fact("Status", status(head.status)),
      fact("Entry fee", fee(head.entryFee)),
      fact("Entries", capital(size(sight))),
      when(head, game, signal, () => scene.redraw()),
    ),
    looked && h("p", { class: "judges" }, judgesLine(looked, head.status)),
    ...acts(sight, scene),
    scene.acts,
    prizes(head.tier),
  );
  return [
    ...(judged
      ? [verdict(sight, game.me.id, fresh), own.length > 0 && results(sight, scene, later), terms]
      : [terms]),
    h(
      "section",
      { class: later, "aria-labelledby": "entries" },
      h("h2", { class: "ornate", id: "entries" }, judged ? "All ranks" : "Entries"),
      first.items.length > 0 ? entryPages(sight, game, signal) : nothing(nobody(head, game)),
    ),
  ];
}

/**
 * @param {Sight} sight
 * @param {string} me
 * @param {boolean} fresh
 */
function verdict({ head, first }, me, fresh) {
  const heading = h(
    "h2",
    { class: "ornate", id: "verdict", tabindex: -1, "data-landing": fresh },
    "The judges have spoken",
  );
  if (fresh) requestAnimationFrame(() => optional(() => heading.scrollIntoView({ block: "start", behavior: pace() })));
  const steps = podium(first.items, head.tier, me, fresh) ?? nothing("There was nobody to rank.");
  return h("section", { "aria-labelledby": "verdict" }, heading, steps);
}

/** How the page scrolls to a new result. @returns {ScrollBehavior} */
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
 * @param {Head} show
 * @param {Game} game
 */
function nobody(show, game) {
  if (isEnterable(show, game)) return "Nobody is in yet. Be the first!";
  return show.status === "open" ? "Nobody is in, and entry has closed." : "Nobody took part.";
}

/**
 * The actions that are possible now.
 * @param {Sight} sight
 * @param {Scene} scene
 */
function acts(sight, scene) {
  const { head, own } = sight;
  if (head.status === "cancelled")
    return [
      h(
        "p",
        { class: "muted" },
        own.length > 0
          ? "This show was cancelled, and your fee is back in your purse."
          : "This show was cancelled; all fees were given back.",
      ),
    ];
  if (head.status !== "open") return [];
  const enterable = isEnterable(head, scene.game);
  return [
    h(
      "div",
      { class: "acts" },
      enterable && worker("Enter an animal", "", () => chooseAnimal(sight, scene)),
      worker("Judge this show", enterable ? "second" : "", async () => callJudges(sight, scene)),
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
