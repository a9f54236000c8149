// The entrance: as a guest, with a new ranch, or with an old one.
import { hostOf, isForeign } from "../api.js";
import { portrait } from "../art/animal.js";
import { freshId, h, put } from "../dom.js";
import { isCode, isUnknownOutcome, sentence } from "../errors.js";
import { guest } from "../guest.js";
import { worker } from "../parts/dialog.js";
import { field } from "../parts/field.js";
import { form } from "../parts/form.js";
import { trouble } from "../parts/notices.js";
import { elsewhere, noRanch } from "../words.js";

/** @typedef {import("../game.js").Game} Game */

/** @type {import("../router.js").MakeView} */
export function welcome(game) {
  const { title, node } = entrance(game);
  return { title, node: h("div", {}, whither(game.api), node) };
}

/** @param {Game} game */
const entrance = (game) => ({
  title: "Ranch",
  node: h(
    "div",
    { class: "welcome" },
    h(
      "section",
      { class: "poster" },
      h("p", { class: "poster-over" }, "The county fair is in town"),
      h("h1", { class: "view-title poster-title" }, "Ranch"),
      h(
        "p",
        { class: "poster-text" },
        "Three animals, 500 gold, and a season of shows. Enter the right one, call the judges, and bring the ribbons home.",
      ),
      h(
        "div",
        { class: "poster-herd", "aria-hidden": "true" },
        portrait({ id: "Buck", breed: "Angus", sex: "male" }),
        portrait({ id: "Millie", breed: "Holstein", sex: "female" }),
        portrait({ id: "Bessie", breed: "Angus", sex: "female" }),
      ),
      asGuest(game),
    ),
    h(
      "section",
      { class: "sheet gate", "aria-label": "Your account" },
      ...doors(newRanch(game), oldRanch(game), game.returning ? 1 : 0),
    ),
  ),
});

/**
 * Returns a warning if the page's address names a foreign API, with a link back, or an unusable API; otherwise null.
 * @param {import("../api.js").Api} api
 */
function whither(api) {
  const { own, refused } = api;
  const says = refused ? elsewhere.refused(refused, hostOf(api)) : isForeign(api) && elsewhere.said(hostOf(api));
  if (!says) return null;
  const back = h("a", { class: "button small", href: location.pathname }, elsewhere.back(new URL(own).host));
  return h(
    "section",
    { class: "sheet", "aria-label": "Where this link leads" },
    h("p", { role: "alert" }, h("strong", {}, says)),
    !refused && h("p", {}, back),
  );
}

/** @param {Game} game */
function asGuest(game) {
  const place = h("div", { class: "poster-act" });
  const guests = game.keyring.all.slice(0, 3);
  const [label, style] = guests.length > 0 ? ["Play as a new guest", "second"] : ["Play as a guest", "large"];
  const start = worker(label, style, async () => {
    trouble(place, "");
    for (let tries = 3; ; tries--) {
      const made = guest();
      let user;
      try {
        user = await game.client.register(made);
      } catch (error) {
        if (isCode(error, "CONFLICT") && tries > 1) continue;
        if (isUnknownOutcome(error))
          return trouble(
            place,
            "The connection broke. Press again, and another guest ranch is made for you.",
            "unknown",
          );
        return trouble(place, sentence("register", error));
      }
      game.credentials = { email: made.email, password: made.password, username: made.username };
      game.keyring.keep(user.id, game.credentials);
      return game.arrive(user, made.ranchName);
    }
  });
  put(
    place,
    ...guests.map(([player, keys]) => goOn(game, player, keys, place)),
    guests.length > 0 && h("p", { class: "or" }, "or"),
    start,
    h("p", { class: "poster-note" }, "No address needed: a name and a password are made up for you."),
  );
  return place;
}

/**
 * Makes a button that logs a guest of this device in again.
 * @param {Game} game
 * @param {string} player
 * @param {import("../keyring.js").Keys} keys
 * @param {HTMLElement} place
 */
function goOn(game, player, { email, password, username = email }, place) {
  return worker(`Play on as ${username}`, "large", async () => {
    trouble(place, "");
    let account;
    try {
      account = await game.client.login(email, password);
    } catch (error) {
      if (!isCode(error, "INVALID_CREDENTIALS")) return trouble(place, sentence("login", error));
      game.keyring.forget(player);
      const without = asGuest(game);
      place.replaceWith(without);
      trouble(without, noRanch(username));
      return without.querySelector("button")?.focus();
    }
    game.arrive(account, account.ranch?.name);
  });
}

/** @param {Game} game */
function newRanch(game) {
  const fields = {
    email: field("E-mail", { name: "email", type: "email", autocomplete: "email" }),
    username: field("Username", {
      name: "username",
      autocomplete: "username",
      hint: "3 to 24 letters, digits, hyphens or underscores",
    }),
    password: field("Password", {
      name: "password",
      type: "password",
      autocomplete: "new-password",
      hint: "8 characters or more",
    }),
    ranchName: field("Ranch name", {
      name: "ranchName",
      autocomplete: "organization",
      hint: "3 to 100 characters, as it hangs over your gate",
    }),
  };
  return form("Create a ranch", "Create ranch", fields, "register", async (values) => {
    game.arrive(await game.client.register(values), values.ranchName);
  });
}

/** @param {Game} game */
function oldRanch(game) {
  const fields = {
    email: field("E-mail", { name: "email", type: "email", autocomplete: "username" }),
    password: field("Password", { name: "password", type: "password", autocomplete: "current-password" }),
  };
  return form("Log in", "Log in", fields, "login", async ({ email, password }) => {
    const account = await game.client.login(email, password);
    game.arrive(account, account.ranch?.name);
  });
}

/**
 * Makes two tabs with a form each.
 * @param {HTMLElement} first
 * @param {HTMLElement} second
 * @param {number} open the index of the open tab
 */
function doors(first, second, open) {
  const panels = [first, second].map((inside) => h("div", { role: "tabpanel", id: freshId("door") }, inside));
  const tabs = ["New ranch", "I have a ranch"].map((label, i) =>
    h(
      "button",
      { type: "button", role: "tab", class: "tab", id: `${panels[i].id}-tab`, "aria-controls": panels[i].id },
      label,
    ),
  );
  /** @param {number} chosen */
  const choose = (chosen) =>
    tabs.forEach((tab, i) => {
      tab.setAttribute("aria-selected", String(i === chosen));
      tab.tabIndex = i === chosen ? 0 : -1;
      panels[i].hidden = i !== chosen;
    });
  tabs.forEach((tab, i) => {
    panels[i].setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("click", () => choose(i));
    tab.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      choose(1 - i);
      tabs[1 - i].focus();
    });
  });
  choose(open);
  return [h("div", { role: "tablist", class: "tabs", "aria-label": "Account" }, ...tabs), ...panels];
}
