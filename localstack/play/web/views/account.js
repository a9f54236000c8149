// The player's account: a guest keeps the ranch; others change the address and the password. Everybody can delete it.
import { h, name } from "../dom.js";
import { dialog, worker } from "../parts/dialog.js";
import { field } from "../parts/field.js";
import { fill } from "../parts/filling.js";
import { form } from "../parts/form.js";
import { showKeys } from "../parts/keys.js";
import { notice } from "../parts/notices.js";
import { fact } from "../parts/ticket.js";
import { account as words } from "../words.js";

/** @typedef {import("../game.js").Game} Game */

/** @type {import("../router.js").MakeView} */
export function account(game, _route, signal) {
  const facts = h("div", {});
  fill(facts, game, signal, {
    live: game.account,
    operation: "gold",
    bones: 1,
    render: ({ username, email }) => [
      h("dl", { class: "facts" }, fact("Username", name(username)), fact("E-mail", name(email))),
    ],
  });
  return {
    title: "Your account",
    node: h(
      "div",
      { class: "account" },
      h("h1", { class: "view-title" }, "Your account"),
      ...(game.guestKeys
        ? [keeping(game, signal)]
        : [sheet("Account", facts), changingEmail(game), changingPassword(game)]),
      leaving(game, signal),
    ),
  };
}

/** @param {string} hint */
const own = (hint) => field("Password", { name: "password", type: "password", autocomplete: "current-password", hint });
const chosen = (label = "Password") =>
  field(label, { name: "newPassword", type: "password", autocomplete: "new-password", hint: "8 characters or more" });
const address = (label = "E-mail") => field(label, { name: "email", type: "email", autocomplete: "email" });

/**
 * @param {string} title
 * @param {...(Node | string)} content
 */
const sheet = (title, ...content) => h("section", { class: "sheet", "aria-label": title }, h("h2", {}, title), ...content);

/**
 * Makes a guest's ranch the player's own: with the keys of the guest it sets the player's address, then the password.
 * The device forgets the keys only when both are set, so a player can press again at any time.
 * @param {Game} game
 * @param {AbortSignal} signal
 */
function keeping(game, signal) {
  const fields = { email: address(), newPassword: chosen() };
  const keep = form("Keep this ranch", "Keep this ranch", fields, "keep", async ({ email, newPassword }) => {
    const { client, keyring, guestKeys: keys, me } = game;
    if (!keys) return;
    const changed = await watched(game, client.changeEmail(email, keys.password));
    keyring.keep(me.id, { ...keys, email: changed.email });
    await watched(game, client.changePassword(keys.password, newPassword));
    keyring.forget(me.id);
    game.changed();
    notice(words.kept(changed.email), "good");
  });
  return sheet(
    "Keep this ranch",
    h("p", {}, "You play as a guest: only this browser knows the way back. With your own e-mail address and password, you can play on any device."),
    keep,
    h("p", {}, worker("Show my keys", "small quiet", async () => showing(game, signal))),
  );
}

/**
 * @param {Game} game
 * @param {AbortSignal} signal
 */
function showing({ guestKeys: keys }, signal) {
  if (keys) showKeys(keys, signal, false);
}

/** @param {Game} game */
function changingEmail(game) {
  const fields = { email: address("New e-mail"), password: own("") };
  const change = form("Change the e-mail", "Change the e-mail", fields, "changeEmail", async ({ email, password }) => {
    const changed = await watched(game, game.client.changeEmail(email, password));
    game.account.set(changed);
    fields.password.input.value = "";
    notice(words.email(changed.email), "good");
  });
  return sheet("E-mail", change);
}

/** @param {Game} game */
function changingPassword(game) {
  const fields = {
    currentPassword: field("Current password", { name: "password", type: "password", autocomplete: "current-password" }),
    newPassword: chosen("New password"),
  };
  const change = form("Change the password", "Change the password", fields, "changePassword", async (values) => {
    await watched(game, game.client.changePassword(values.currentPassword, values.newPassword));
    for (const { input } of Object.values(fields)) input.value = "";
    notice(words.password, "good");
  });
  return sheet("Password", change);
}

/**
 * @param {Game} game
 * @param {AbortSignal} signal
 */
function leaving(game, signal) {
  const ask = async () => {
    const keys = game.guestKeys;
    const { id } = game.me;
    const fields = keys ? {} : { password: own("to make sure that it is you") };
    const content = (/** @type {() => void} */ close) => [
      h("p", {}, h("strong", {}, "Your ranch, your animals and your gold are gone for good."), " Nobody can bring them back."),
      form(
        "Delete this ranch",
        "Delete for good",
        /** @type {Record<string, import("../parts/field.js").Field>} */ (fields),
        "deleteAccount",
        async ({ password }) => {
          await watched(game, game.client.deleteAccount(keys?.password ?? password));
          game.keyring.forget(id);
          close();
          game.ended();
          notice(words.deleted);
        },
        h("button", { type: "button", class: "button second", onclick: close, autofocus: true }, "Cancel"),
      ),
    ];
    void dialog("Delete this ranch?", content, { signal });
  };
  return sheet(
    "Delete this ranch",
    h("p", {}, "Your name disappears from all shows, and your address is free again."),
    worker("Delete this ranch", "second", ask),
  );
}

/**
 * Returns a call's answer. If the call fails, the game learns of it before the form does.
 * @template T
 * @param {Game} game
 * @param {Promise<T>} call
 */
async function watched(game, call) {
  try {
    return await call;
  } catch (error) {
    await game.failed(error);
    throw error;
  }
}
