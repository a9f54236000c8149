// Calling the judges, and what they say.
import { h, name } from "../dom.js";
import { isCode, isUnknownOutcome, sentence } from "../errors.js";
import { busy, dialog } from "../parts/dialog.js";
import { notice, trouble } from "../parts/notices.js";
import { judged, plural } from "../words.js";

/** @typedef {import("../client/index.js").ShowDetail} ShowDetail */
/** @typedef {import("./show.js").Scene} Scene */

/**
 * @param {ShowDetail} show
 * @param {Scene} scene
 */
export function callJudges(show, scene) {
  trouble(scene.acts, "");
  const { entries } = show;
  const foreign = entries.length > 0 && !entries.some((entry) => entry.playerId === scene.game.me.id);
  void dialog(
    "Judge this show?",
    (close) => {
      const go = h("button", { type: "button", class: "button" }, "Judge now");
      const acts = h(
        "div",
        { class: "dialog-acts" },
        go,
        h("button", { type: "button", class: "button second", onclick: close }, "Cancel"),
      );
      const box = h(
        "div",
        {},
        entries.length === 0
          ? h("p", {}, h("strong", {}, "Nobody is in ", name(show.name), " yet. It would end for good, without a winner."))
          : h(
              "p",
              {},
              "The judges of ",
              name(show.name),
              " look at ",
              plural(entries.length, "animal"),
              " and rank them for good. Nobody can enter after that.",
            ),
        foreign && h("p", {}, h("strong", {}, "None of them is yours.")),
        acts,
      );
      go.addEventListener("click", () => void busy(go, () => judge(show, scene, box, close)));
      return [box];
    },
    { signal: scene.signal },
  );
}

/**
 * @param {ShowDetail} show
 * @param {Scene} scene
 * @param {HTMLElement} box
 * @param {() => void} close
 */
async function judge(show, scene, box, close) {
  trouble(box, "");
  try {
    const { resolved } = await scene.game.client.judge(show.id);
    close();
    scene.fresh = true;
    await scene.again();
    notice(await result(show, scene, resolved), "good");
  } catch (error) {
    scene.game.failed(error);
    const said = sentence("judge", error);
    if (isCode(error, "NOT_FOUND") || !box.isConnected) {
      close();
      notice(said, "warn");
      return scene.again();
    }
    trouble(box, said, isUnknownOutcome(error) ? "unknown" : "bad");
  }
}

/**
 * @param {ShowDetail} show
 * @param {Scene} scene
 * @param {boolean} resolved
 */
async function result(show, { game, signal }, resolved) {
  const said = [judged.said(show.name, resolved)];
  const detail = /** @type {ShowDetail | undefined} */ (game.answers.get(`show ${show.id}`));
  const [first] = detail?.entries ?? [];
  const best = detail?.entries.find((entry) => entry.playerId === game.player?.id);
  if (best?.rank === 1) said.push(judged.won(best.animalName));
  else if (first?.rank === 1) said.push(judged.first(first.animalName, first.playerUsername));
  if (best && best.rank !== 1) said.push(judged.own(best));
  try {
    const { season, more } = await game.season(signal);
    if (season && best) said.push(judged.season(season.mySeasonScore, more));
  } catch {
    // The ranch shows it when it can be asked again.
  }
  return said.join(" ");
}
