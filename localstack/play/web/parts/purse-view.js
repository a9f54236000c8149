// The purse at the top of the page: the player's gold, as the service returned it last.
import { coin } from "../art/icons.js";
import { h, put } from "../dom.js";
import { gold, signed } from "../words.js";
import { notice } from "./notices.js";

/**
 * @param {HTMLElement} place
 * @param {import("../game.js").Game} game
 * @param {AbortSignal} signal aborted if the player changes
 */
export function purseView(place, game, signal) {
  const { gold: purse } = game;
  const amount = h("span", { class: "purse-amount" });
  const chips = h("span", { class: "purse-chips", "aria-hidden": "true" });
  const button = h(
    "button",
    { type: "button", class: "purse-button", title: "Ask again how much gold you have", onclick: ask },
    coin(),
    amount,
  );
  let seen = purse.value;

  async function ask() {
    await game.readGold();
    const { value, failed } = purse;
    if (failed || value === undefined) notice("The fair does not say just now how much gold you have.", "warn");
    else notice(`You have ${gold(value)}.`);
  }

  function render() {
    const { value, failed } = purse;
    const known = value?.toLocaleString("en");
    amount.textContent = known ?? "–";
    button.classList.toggle("not-current", failed);
    button.setAttribute("aria-label", `Gold: ${known ?? "unknown"}${failed && known ? ", not current" : ""}`);
    if (value !== undefined && seen !== undefined && value !== seen) chip(chips, value - seen);
    seen = value;
  }

  const cameBack = () => document.visibilityState === "visible" && game.readGold();
  document.addEventListener("visibilitychange", cameBack, { signal });
  put(place, button, chips);
  render();
  purse.watch(render, signal);
}

/**
 * @param {HTMLElement} place
 * @param {number} amount
 */
function chip(place, amount) {
  const shown = h("span", { class: `chip ${amount < 0 ? "spent" : "won"}` }, signed(amount));
  place.append(shown);
  setTimeout(() => shown.remove(), 4000);
}
