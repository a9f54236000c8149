// What a show brought the player, and the prize.
import { h, name } from "../dom.js";
import { isCode, isUnknownOutcome, sentence } from "../errors.js";
import { worker } from "../parts/dialog.js";
import { notice, trouble } from "../parts/notices.js";
import { toClaim } from "../parts/ticket.js";
import { claimed, gold, ordinal, plural, seasonPoints } from "../words.js";

/** @typedef {import("../client/index.js").ShowDetail} ShowDetail */
/** @typedef {import("./show.js").Scene} Scene */

/**
 * @param {ShowDetail} show
 * @param {Scene} scene
 */
export function results(show, scene) {
  const { id: me, diary } = scene.game.me;
  const own = show.entries.filter((entry) => entry.playerId === me);
  const page = diary.page(show.id);
  const waits = page ? toClaim(page) : 0;
  const points = own.reduce((sum, entry) => sum + seasonPoints(entry.rank), 0);
  const place = h(
    "section",
    { class: `sheet results ${waits > 0 ? "waits" : ""}`, "aria-labelledby": "results" },
    h("h2", { id: "results", tabindex: -1, "data-landing": true }, "How you did"),
  );
  place.append(
    h(
      "ul",
      { class: "result-list" },
      ...own.map((entry) =>
        h(
          "li",
          {},
          name(entry.animalName),
          entry.rank === null
            ? " was not ranked: it has no traits that judges could see."
            : ` came ${ordinal(entry.rank)} of ${show.entries.length}.`,
        ),
      ),
    ),
    h("p", {}, `That is ${plural(points, "point")} for the season.`),
  );
  if (own.some((entry) => entry.rewardClaimed)) place.append(h("p", { class: "done" }, "Your prize is claimed."));
  else if (waits > 0)
    place.append(
      h("p", {}, "A prize of ", h("strong", {}, gold(waits)), " waits for you."),
      worker("Claim prize", "gold-button", () => claim(show, scene, place)),
    );
  else place.append(h("p", { class: "muted" }, "There is no gold for this place. Next time!"));
  return place;
}

/**
 * @param {ShowDetail} show
 * @param {Scene} scene
 * @param {HTMLElement} place
 */
async function claim(show, scene, place) {
  const { purse } = scene.game.me;
  trouble(place, "");
  try {
    const { goldReward, resolved } = await scene.game.client.claim(show.id);
    purse.change(goldReward, claimed.change(show.name));
    notice(
      `${claimed.said(goldReward, resolved)}${purse.balance === null ? "" : ` You have ${gold(purse.balance)}.`}`,
      "good",
    );
    await scene.again();
  } catch (error) {
    scene.game.failed(error);
    if (isUnknownOutcome(error) || isCode(error, "ALREADY_CLAIMED")) purse.doubt();
    const said = sentence("claim", error);
    if (isCode(error, "ALREADY_CLAIMED") || isCode(error, "NOT_FOUND")) {
      await scene.again();
      return notice(said, "warn");
    }
    trouble(place, said, isUnknownOutcome(error) ? "unknown" : "bad");
  }
}
