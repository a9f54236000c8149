// The dialog for judging, and its result.
import { h, name } from "../dom.js";
import { isCode, isUnknownOutcome, sentence } from "../errors.js";
import { busy, dialog } from "../parts/dialog.js";
import { notice, trouble } from "../parts/notices.js";
import { settled } from "../parts/podium.js";
import { size } from "../parts/ticket.js";
import { judged } from "../words.js";

/** @typedef {import("../show-reader.js").Sight} Sight */
/** @typedef {import("./show.js").Scene} Scene */

/**
 * @param {Sight} sight
 * @param {Scene} scene
 */
export function callJudges(sight, scene) {
  trouble(scene.acts, "");
  const { head, own, first } = sight;
  const empty = first.items.length === 0;
  void dialog(
    "Judge this show?",
    (close) => {
      const go = h("button", { type: "button", class: "button" }, "Judge now");
      const acts = h(
        "div",
        { class: "dialog-acts" },
        go,
        h("button", { type: "button", class: "button second", onclick: close, autofocus: true }, "Cancel"),
      );
      const box = h(
        "div",
        {},
        empty
          ? h("p", {}, h("strong", {}, "Nobody is in ", name(head.name), " yet. It would end for good, without a winner."))
          : h(
              "p",
              {},
              "The judges of ",
              name(head.name),
              " look at ",
              size(sight),
              " and rank them for good. Nobody can enter after that.",
            ),
        !empty && own.length === 0 && h("p", {}, h("strong", {}, "None of them is yours.")),
        acts,
      );
      go.addEventListener("click", () => void busy(go, () => judge(sight, scene, box, close)));
      return [box];
    },
    { signal: scene.signal },
  );
}

/**
 * @param {Sight} sight
 * @param {Scene} scene
 * @param {HTMLElement} box
 * @param {() => void} close
 */
async function judge({ head }, scene, box, close) {
  const { game, signal } = scene;
  trouble(box, "");
  try {
    const { resolved } = await game.client.judge(head.id);
    close();
    scene.fresh = true;
    const before = game.season.value;
    const asked = game.season.read(signal).then(
      () => game.season.value,
      () => null,
    );
    const [season] = await Promise.all([asked, scene.again()]);
    if (!signal.aborted) await settled(); // the podium shows the result first
    const more = season && before?.id === season.id ? season.mySeasonScore - before.mySeasonScore : 0;
    void game.readWaiting();
    const how = signal.aborted ? [] : result(head.id, scene, season, more);
    notice([judged.said(head.name, resolved), ...how].join(" "), "good");
  } catch (error) {
    await game.failed(error);
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
 * The result for the player.
 * @param {string} id
 * @param {Scene} scene
 * @param {import("../client/index.js").Season | null | undefined} season null if it could not be asked
 * @param {number} more how much the score has grown
 */
function result(id, { game }, season, more) {
  const { value } = game.show(id);
  if (value?.head.status !== "completed") return []; // it could not be read again
  const [first] = value.first.items;
  const [best] = [...value.own].sort((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity));
  const said = [];
  if (best?.rank === 1) said.push(judged.won(best.animalName));
  else if (first?.rank === 1) said.push(judged.first(first.animalName, first.playerUsername));
  if (best && best.rank !== 1) said.push(judged.own(best));
  if (season && best) said.push(judged.season(season.mySeasonScore, more));
  return said;
}
