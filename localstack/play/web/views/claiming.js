// The player's result in a show, and the prize.
import { nextShow } from "../advice.js";
import { h, name, put } from "../dom.js";
import { isCode, isUnknownOutcome, sentence } from "../errors.js";
import { label } from "../judges.js";
import { worker } from "../parts/dialog.js";
import { swap } from "../parts/focus.js";
import { notice, trouble } from "../parts/notices.js";
import { toClaim } from "../parts/ticket.js";
import { claimed, gold, ordinal, plural, seasonPoints } from "../words.js";

/** @typedef {import("../client/index.js").OwnEntry} OwnEntry */
/** @typedef {import("../show-reader.js").Sight} Sight */
/** @typedef {import("./show.js").Scene} Scene */

/**
 * @param {Sight} sight
 * @param {Scene} scene
 * @param {string} later the class for what appears after the podium, or ""
 */
export function results(sight, scene, later) {
  const { game, signal } = scene;
  const { own } = sight;
  const waits = toClaim(own);
  const list = h("ul", { class: "result-list" });
  const draw = () => put(list, ...own.map((entry) => h("li", {}, ...result(entry, sight, game))));
  draw();
  if (!game.animals.value) game.animals.read(signal).then(draw, () => {}); // without them, the text says less
  const points = own.reduce((sum, entry) => sum + seasonPoints(entry.rank), 0);
  const paid = own.some((entry) => entry.rewardClaimed);
  const act = h("div", { class: "results-act" });
  const place = h(
    "section",
    { class: `sheet results ${waits > 0 ? "waits" : ""} ${later}`, "aria-labelledby": "results" },
    h(
      "div",
      { class: "results-head" },
      h("h2", { id: "results", tabindex: -1, "data-landing": true }, "How you did"),
      act,
    ),
    list,
    h("p", {}, `That is ${plural(points, "point")} for the season.`),
    paid && h("p", { class: "done" }, "Your prize is claimed."),
    waits > 0 && h("p", {}, "A prize of ", h("strong", {}, gold(waits)), " waits for you."),
    !paid && waits === 0 && h("p", { class: "muted" }, "There is no gold for this place. Next time!"),
  );
  if (waits > 0) put(act, worker("Claim prize", "gold-button", claimer(sight, scene, place)));
  else void offerNext(act, scene);
  return place;
}

/**
 * Offers a show that the player can enter next, or all shows.
 * @param {HTMLElement} place
 * @param {Scene} scene
 */
async function offerNext(place, { game, signal }) {
  const open = game.shows({ tier: "", status: "open" });
  const offer = () => {
    const next = nextShow(open.value?.items ?? [], game);
    const [href, label] = next ? [`#/shows/${encodeURIComponent(next.id)}`, ["Next: ", name(next.name)]] : ["#/shows", ["See the shows"]];
    swap(place, h("a", { class: "button", href }, ...label));
  };
  offer();
  await Promise.allSettled([open.read(signal), game.own.read(signal)]);
  if (!signal.aborted) offer();
}

/**
 * The result of an entry, by the show's favourite traits.
 * @param {OwnEntry} entry
 * @param {Sight} sight
 * @param {import("../game.js").Game} game
 */
function result({ animalId, animalName, score, rank }, { looked, count }, game) {
  const said = ["Your ", name(animalName)];
  if (rank === null) return [...said, " was not ranked: it has no traits that judges could see."];
  const phenotype = game.animals.value?.find((animal) => animal.id === animalId)?.phenotype;
  const traits = phenotype && looked?.map((trait) => `${label(trait).toLowerCase()} ${Math.round(phenotype[trait])}`);
  const among = count === null ? "" : ` of ${count.toLocaleString("en")}`;
  return [
    ...said,
    traits ? `, with ${traits.join(" and ")}, ` : " ",
    `scored ${(score ?? 0).toFixed(2)} and came ${ordinal(rank)}${among}.`,
  ];
}

/**
 * Returns the action of the claim button. If a claim gets no answer and a later one finds the prize paid, the text says
 * so.
 * @param {Sight} sight
 * @param {Scene} scene
 * @param {HTMLElement} place
 */
function claimer({ head, own }, scene, place) {
  const { game } = scene;
  let lost = false;
  return async () => {
    trouble(place, "");
    try {
      const { goldReward, resolved } = await game.client.claim(head.id);
      notice(claimed.said(goldReward, resolved), "good");
      void game.goldMoved();
      await scene.again();
    } catch (error) {
      void game.goldMoved();
      await game.failed(error);
      const already = isCode(error, "ALREADY_CLAIMED");
      if (already && lost) notice(claimed.said(toClaim(own), true), "good");
      else if (already || isCode(error, "NOT_FOUND")) notice(sentence("claim", error), "warn");
      else {
        lost ||= isUnknownOutcome(error);
        return trouble(place, sentence("claim", error), isUnknownOutcome(error) ? "unknown" : "bad");
      }
      await scene.again();
    }
  };
}
