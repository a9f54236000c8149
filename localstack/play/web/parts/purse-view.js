// The purse at the top of the page: what is in it, and each change as it happens.
import { coin } from "../art/icons.js";
import { freshId, h, name, put } from "../dom.js";
import { gold, moment, signed } from "../words.js";

/** @typedef {import("../purse.js").Purse} Purse */

/**
 * @param {HTMLElement} place
 * @param {Purse} purse
 * @param {AbortSignal} signal when somebody else plays
 * @param {boolean} guest who needs the keys to come back
 */
export function purseView(place, purse, signal, guest) {
  const again = guest ? "Log out, and in again with your keys," : "Log out and in again";
  const id = freshId("changes");
  const amount = h("span", { class: "purse-amount" });
  const chips = h("span", { class: "purse-chips", "aria-hidden": "true" });
  const button = h(
    "button",
    { type: "button", class: "purse-button", "aria-expanded": "false", "aria-controls": id },
    coin(),
    amount,
  );
  const panel = h("section", { class: "purse-panel", id, "aria-label": "Gold changes", hidden: true });
  let seen = purse.changes[0]?.n ?? 0;

  /** @param {boolean} open */
  const toggle = (open) => {
    button.setAttribute("aria-expanded", String(open));
    panel.hidden = !open;
  };

  const render = () => {
    const { balance } = purse;
    const known = balance === null ? "unknown" : balance.toLocaleString("en");
    amount.textContent = balance === null ? "?" : known;
    button.setAttribute("aria-label", `Gold: ${known}`);
    put(
      panel,
      h("h2", { class: "purse-title" }, balance === null ? "Your gold" : gold(balance)),
      balance === null
        ? h("p", {}, `This device was never told how much it is. ${again} to know.`)
        : purse.unsure && h("p", { class: "muted" }, `As far as this device knows. ${again} to be sure.`),
      purse.changes.length === 0
        ? h("p", { class: "muted" }, "Fees and prizes will be listed here.")
        : h("ol", { class: "purse-list", role: "list" }, ...purse.changes.slice(0, 12).map(line)),
    );
    const news = purse.changes.filter((change) => change.n > seen);
    seen = purse.changes[0]?.n ?? seen;
    for (const change of news) chip(chips, change.amount);
  };

  button.addEventListener("click", () => toggle(panel.hidden));
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || panel.hidden) return;
      toggle(false);
      button.focus();
    },
    { signal },
  );
  document.addEventListener(
    "click",
    (event) => {
      if (event.target instanceof Node && !place.contains(event.target)) toggle(false);
    },
    { signal },
  );
  put(place, button, chips, panel);
  render();
  purse.kept.watch(render, signal);
}

/** @param {import("../purse.js").Change} change */
function line(change) {
  return h(
    "li",
    {},
    h("span", { class: change.amount < 0 ? "spent" : "won" }, signed(change.amount)),
    h(
      "span",
      { class: "purse-reason" },
      name(change.reason),
      h("small", { class: "muted" }, moment(new Date(change.at))),
    ),
  );
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
