// The dialog for entering: which animal fits, the fee, and the gold that is left.
import { byFit, bestFor } from "../advice.js";
import { freshId, h, name } from "../dom.js";
import { isCode, isUnknownOutcome, sentence } from "../errors.js";
import { label } from "../judges.js";
import { framed, rarityClass } from "../parts/animal-card.js";
import { gauge } from "../parts/charts.js";
import { busy, dialog } from "../parts/dialog.js";
import { notice, trouble } from "../parts/notices.js";
import { judgesLine } from "../parts/ticket.js";
import { capital, entered, gold } from "../words.js";

/** @typedef {import("../client/index.js").Animal} Animal */
/** @typedef {import("../show-reader.js").Sight} Sight */
/** @typedef {import("./show.js").Scene} Scene */

/**
 * @param {Sight} sight
 * @param {Scene} scene
 */
export async function chooseAnimal(sight, scene) {
  const { game, signal } = scene;
  trouble(scene.acts, "");
  try {
    await Promise.all([game.animals.read(signal), game.readGold()]);
  } catch (error) {
    if (signal.aborted) return;
    await game.failed(error);
    return trouble(scene.acts, sentence("enter", error)); // this error is not shown by a filled part
  }
  const animals = game.animals.value ?? [];
  void dialog("Enter an animal", (close) => form(sight, scene, animals, close), { signal, className: "wide" });
}

/**
 * @param {Sight} sight
 * @param {Scene} scene
 * @param {Animal[]} animals
 * @param {() => void} close
 */
function form({ head, looked, own }, scene, animals, close) {
  const { game, signal } = scene;
  const fee = Math.max(0, head.entryFee);
  const group = freshId("animal");
  const send = h("button", { type: "submit", class: "button" });
  const fits = byFit(animals, looked, own);
  const best = bestFor(animals, looked, own);
  let chosen = best;
  const reckoned = h("p");
  const draw = () => {
    const short = game.gold.value !== undefined && game.gold.value < fee;
    reckoned.className = short ? "reckoning short" : "reckoning";
    reckoned.textContent = reckoning(fee, game.gold);
    send.disabled = !chosen || (short && !game.gold.failed);
    if (chosen) send.textContent = `Enter ${chosen.name} for ${fee > 0 ? gold(fee) : "free"}`;
    else send.textContent = fits.some(({ why }) => why === null) ? "Choose an animal" : "Nobody can enter";
  };
  const choices = fits.map(({ animal, why }) =>
    choice(animal, { why, looked, group, best: animal === best, chosen: animal === chosen }, () => {
      chosen = animal;
      draw();
    }),
  );
  draw();
  game.gold.watch(draw, signal);
  const box = h(
    "form",
    { class: "choose", "aria-label": "Entry" },
    looked && h("p", { class: "judges" }, judgesLine(looked, head.status)),
    h("fieldset", {}, h("legend", {}, "Who shall go to ", name(head.name), "?"), ...choices),
    h(
      "div",
      { class: "choose-foot" },
      reckoned,
      h(
        "div",
        { class: "dialog-acts" },
        send,
        h("button", { type: "button", class: "button second", onclick: close }, "Cancel"),
      ),
    ),
  );
  const enter = enterer(head, scene, box, close);
  box.addEventListener("submit", (event) => {
    event.preventDefault();
    const animal = chosen;
    if (animal) void busy(send, () => enter(animal));
  });
  return [box];
}

/**
 * @typedef {object} Standing
 * @property {string | null} why the animal cannot be chosen
 * @property {import("../judges.js").Favourites | null} looked
 * @property {string} group
 * @property {boolean} best
 * @property {boolean} chosen
 */

/**
 * @param {Animal} animal
 * @param {Standing} standing
 * @param {() => void} choose
 */
function choice(animal, { why, looked, group, best, chosen }, choose) {
  const id = freshId("choice");
  const { phenotype } = animal;
  return h(
    "div",
    { class: `choice ${rarityClass(animal.rarity_tier)} ${why ? "unfit" : ""}` },
    h("input", {
      type: "radio",
      id,
      name: group,
      checked: chosen,
      disabled: why !== null,
      onchange: choose,
      "aria-describedby": `${id}-tags ${id}-more`,
    }),
    framed(animal, animal.rarity_tier),
    h(
      "div",
      {},
      h(
        "p",
        { class: "choice-name" },
        h("label", { for: id }, name(animal.name)),
        h(
          "span",
          { class: "choice-tags", id: `${id}-tags` },
          h("span", { class: "rarity-tag" }, capital(animal.rarity_tier)),
          best && " ",
          best && h("span", { class: "own-tag" }, "Fits best"),
        ),
      ),
      h(
        "div",
        { id: `${id}-more` },
        h(
          "p",
          { class: "muted small-text" },
          why ?? [capital(animal.breed), `Condition ${Math.round(animal.condition)} %`].map(unbroken).join(" · "),
        ),
        !why &&
          phenotype &&
          looked &&
          h("dl", { class: "gauges fit" }, ...looked.map((trait) => gauge(label(trait), phenotype[trait], ""))),
      ),
    ),
  );
}

/** @param {string} text that stays on one line */
const unbroken = (text) => text.replaceAll(" ", "\u00a0");

/**
 * @param {number} fee
 * @param {import("../live.js").Live<number>} purse
 */
function reckoning(fee, { value: balance, failed }) {
  if (fee === 0) return "Entry is free.";
  if (balance === undefined) return `The fee is ${gold(fee)}. How much you have is not known just now.`;
  const has = failed ? "The fair has not answered; before, you had" : "You have";
  if (balance < fee) return `The fee is ${gold(fee)}. ${has} ${gold(balance)}: that is not enough.`;
  return `The fee is ${gold(fee)}. ${has} ${gold(balance)}; ${gold(balance - fee)} will be left.`;
}

/**
 * Returns the action of the button that enters an animal. If no answer arrives, and a later press finds the animal
 * entered, the text says so.
 * @param {import("../show-reader.js").Head} head
 * @param {Scene} scene
 * @param {HTMLElement} box
 * @param {() => void} close
 */
function enterer(head, scene, box, close) {
  const { game } = scene;
  /** @type {Set<string>} */
  const lost = new Set();
  /** @param {Animal} animal */
  return async ({ id, name }) => {
    trouble(box, "");
    try {
      const { entryFee, resolved } = await game.client.enter(head.id, id);
      close();
      notice(entered.said(name, head.name, entryFee, resolved), "good");
      void game.goldMoved();
      await scene.again();
    } catch (error) {
      void game.goldMoved();
      await game.failed(error);
      const inside = isCode(error, "DUPLICATE");
      if (isUnknownOutcome(error)) lost.add(id);
      if (inside) close();
      if (inside && lost.has(id)) notice(entered.said(name, head.name, head.entryFee, true), "good");
      else if (inside || !box.isConnected) notice(sentence("enter", error), "warn");
      else trouble(box, sentence("enter", error), isUnknownOutcome(error) ? "unknown" : "bad");
      if (inside || isCode(error, "NOT_FOUND")) await scene.again();
    }
  };
}
