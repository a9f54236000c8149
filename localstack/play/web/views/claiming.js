// What a show brought the player, and the prize.
import { h, name } from "../dom.js";
import { isCode, isUnknownOutcome, sentence } from "../errors.js";
import { worker } from "../parts/dialog.js";
import { notice, trouble } from "../parts/notices.js";
import { toClaim } from "../parts/ticket.js";
import { prizeKey } from "../purse.js";
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
  const { game } = scene;
  const { purse, diary } = game.me;
  const key = prizeKey(show.id);
  const page = diary.page(show.id);
  const known = page?.claimed ?? false;
  trouble(place, "");
  purse.attempt(key, { amount: page ? toClaim(page) : 0, reason: claimed.change(show.name) });
  try {
    const { goldReward, resolved } = await game.client.claim(show.id);
    game.overtake(show.id);
    if (resolved && known) purse.mistrust(key);
    else purse.settle(key, goldReward);
    notice(
      `${claimed.said(goldReward, resolved)}${purse.balance === null ? "" : ` You have ${gold(purse.balance)}.`}`,
      "good",
    );
    await scene.again();
  } catch (error) {
    game.failed(error);
    const unknown = isUnknownOutcome(error);
    const already = isCode(error, "ALREADY_CLAIMED");
    const lost = already && purse.isLost(key);
    if (unknown) purse.lose(key);
    else purse.refuse(key);
    if (already && !lost) purse.doubt();
    if (already || isCode(error, "NOT_FOUND")) await scene.again(); // which says so of one whose answer was lost
    const said = sentence("claim", error);
    if (lost && !purse.isLost(key)) return;
    if (already || isCode(error, "NOT_FOUND")) return notice(said, "warn");
    trouble(place, said, unknown ? "unknown" : "bad");
  }
}
