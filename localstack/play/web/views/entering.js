// Entering: which animal, what it costs, and what is left then.
import { freshId, h, name, put } from "../dom.js";
import { isCode, isUnknownOutcome, sentence } from "../errors.js";
import { framed, rarityClass } from "../parts/animal-card.js";
import { strongest } from "../parts/charts.js";
import { busy, dialog } from "../parts/dialog.js";
import { notice, trouble } from "../parts/notices.js";
import { feeKey } from "../purse.js";
import { capital, entered, gold, unfit } from "../words.js";

/** @typedef {import("../client/index.js").Animal} Animal */
/** @typedef {import("../client/index.js").ShowDetail} ShowDetail */
/** @typedef {import("./show.js").Scene} Scene */

/**
 * @param {ShowDetail} show
 * @param {Scene} scene
 */
export async function chooseAnimal(show, scene) {
  const { game, signal } = scene;
  trouble(scene.acts, "");
  /** @type {Animal[]} */
  let animals;
  try {
    animals = await game.client.animals({ signal });
    game.answers.set("animals", animals);
  } catch (error) {
    if (signal.aborted) return;
    game.failed(error);
    return trouble(scene.acts, sentence("enter", error)); // nothing fills in here
  }
  const inside = new Set(show.entries.filter((entry) => entry.playerId === game.me.id).map((entry) => entry.animalId));
  void dialog("Enter an animal", (close) => form(show, scene, animals, inside, close), { signal, className: "wide" });
}

/**
 * @param {ShowDetail} show
 * @param {Scene} scene
 * @param {Animal[]} animals
 * @param {Set<string>} inside animals that are in the show
 * @param {() => void} close
 */
function form(show, scene, animals, inside, close) {
  const fee = Math.max(0, show.entryFee);
  const { balance, unsure } = scene.game.me.purse;
  const short = balance !== null && balance < fee;
  const group = freshId("animal");
  const send = h("button", { type: "submit", class: "button" });
  const fit = animals.filter((animal) => !unfit(animal) && !inside.has(animal.id));
  let chosen = fit[0];
  const label = () => {
    send.textContent = chosen ? `Enter ${chosen.name} for ${fee > 0 ? gold(fee) : "free"}` : "Nobody can enter";
    send.disabled = !chosen || (short && !unsure);
  };
  const choices = animals.map((animal) => {
    const why = inside.has(animal.id) ? "Is in this show already." : unfit(animal);
    return choice(animal, why, group, animal === chosen, () => {
      chosen = animal;
      label();
    });
  });
  label();
  const box = h(
    "form",
    { class: "choose", "aria-label": "Entry" },
    h("fieldset", {}, h("legend", {}, "Who shall go to ", name(show.name), "?"), ...choices),
    h("p", { class: short ? "reckoning short" : "reckoning" }, reckoning(fee, balance, unsure)),
    h(
      "div",
      { class: "dialog-acts" },
      send,
      h("button", { type: "button", class: "button second", onclick: close }, "Cancel"),
    ),
  );
  box.addEventListener("submit", (event) => {
    event.preventDefault();
    if (chosen) void busy(send, () => enter(show, chosen, scene, box, close));
  });
  return [box];
}

/**
 * @param {Animal} animal
 * @param {string | null} why it cannot be chosen
 * @param {string} group
 * @param {boolean} chosen
 * @param {() => void} choose
 */
function choice(animal, why, group, chosen, choose) {
  const id = freshId("choice");
  const best = animal.phenotype
    ? strongest(animal.phenotype)
        .slice(0, 2)
        .map(({ label, value }) => `${label} ${Math.round(value)}`)
    : [];
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
      "aria-describedby": `${id}-rarity ${id}-more`,
    }),
    framed(animal, animal.rarity_tier),
    h(
      "div",
      {},
      h(
        "p",
        { class: "choice-name" },
        h("label", { for: id }, name(animal.name)),
        h("span", { class: "rarity-tag", id: `${id}-rarity` }, capital(animal.rarity_tier)),
      ),
      h(
        "p",
        { class: "muted small-text", id: `${id}-more` },
        why ?? [capital(animal.breed), `Condition ${Math.round(animal.condition)} %`, ...best].map(unbroken).join(" · "),
      ),
    ),
  );
}

/** @param {string} text that stays on one line */
const unbroken = (text) => text.replaceAll(" ", "\u00a0");

/**
 * @param {number} fee
 * @param {number | null} balance
 * @param {boolean} unsure
 */
function reckoning(fee, balance, unsure) {
  if (fee === 0) return "Entry is free.";
  if (balance === null) return `The fee is ${gold(fee)}. This device does not know how much gold you have.`;
  const known = unsure ? ", as far as this device knows" : "";
  if (balance < fee) return `The fee is ${gold(fee)}, and you have ${gold(balance)}${known}: that is not enough.`;
  return `The fee is ${gold(fee)}. You have ${gold(balance)}${known}; ${gold(balance - fee)} will be left.`;
}

/**
 * @param {ShowDetail} show
 * @param {Animal} animal
 * @param {Scene} scene
 * @param {HTMLElement} box
 * @param {() => void} close
 */
async function enter(show, animal, scene, box, close) {
  const { game } = scene;
  const { purse, diary } = game.me;
  const key = feeKey(show.id, animal.id);
  const known = diary.hasEntry(show.id, animal.id);
  trouble(box, "");
  purse.attempt(key, { amount: -Math.max(0, show.entryFee), reason: entered.change(show.name), fee: show.id });
  try {
    const { entryFee, resolved } = await game.client.enter(show.id, animal.id);
    const fee = Math.max(0, entryFee);
    game.overtake(show.id);
    if (resolved && known) purse.mistrust(key);
    else purse.settle(key, -fee);
    diary.entered(show, animal);
    const left = fee > 0 && purse.balance !== null ? ` ${gold(fee)} paid, ${gold(purse.balance)} left.` : "";
    close();
    notice(`${entered.said(animal.name, show.name, resolved)}${left}`, "good");
    await scene.again();
  } catch (error) {
    game.failed(error);
    const unknown = isUnknownOutcome(error);
    const inside = isCode(error, "DUPLICATE");
    const lost = inside && purse.isLost(key);
    if (unknown) purse.lose(key);
    else purse.refuse(key);
    if (isCode(error, "INSUFFICIENT_GOLD") || (inside && !lost && show.entryFee > 0)) purse.doubt();
    if (inside) close();
    if (inside || isCode(error, "NOT_FOUND")) await scene.again(); // which says so of one whose answer was lost
    if (lost && !purse.isLost(key)) return;
    if (!box.isConnected) return notice(sentence("enter", error), "warn");
    trouble(box, sentence("enter", error), unknown ? "unknown" : "bad");
    put(box.querySelector(".reckoning") ?? box, reckoning(Math.max(0, show.entryFee), purse.balance, purse.unsure));
  }
}
