// Starts the game: makes the client, and follows the changes of the session.
import { findApi, hostOf } from "./api.js";
import { landscape } from "./art/scenery.js";
import { horseshoe, lamp } from "./art/icons.js";
import { Client, memoryStore, webStore } from "./client/index.js";
import { byId, h, put } from "./dom.js";
import { isLeftBehind, sentence } from "./errors.js";
import { Game } from "./game.js";
import { storage } from "./keep.js";
import { optional } from "./optional.js";
import { badge } from "./parts/badge.js";
import { Connection } from "./parts/connection.js";
import { askGuest, showKeys } from "./parts/keys.js";
import { notice } from "./parts/notices.js";
import { purseView } from "./parts/purse-view.js";
import { Router } from "./router.js";
import { ended, elsewhere, untold } from "./words.js";

const api = await findApi();
const store = storage();
const kept = store ? webStore(store, `ranch.session.${api.url}`) : memoryStore(); // a session for each API
const client = new Client(api.url, { store: kept, onEvent: follow, allowHttp: true });
const game = new Game(client, api, store);
const router = new Router(game, byId("main"));
const connection = new Connection(api.url, byId("connection"), () => game.isBack(), () => game.resume(null));
let leaveFrame = new AbortController();

/** @param {import("./client/index.js").SessionEvent} event */
function follow(event) {
  if (event.kind === "unreachable") void game.unanswered();
  if (event.kind === "reachable") connection.answered();
  if (event.kind === "sessionEnded") {
    notice(ended(event.reason), event.reason === "logout" ? "plain" : "warn");
    void meet();
  }
}

/** Reads the session again, since another tab can have logged a player in or out. */
async function meet() {
  const session = await client.session();
  game.resume(session && { id: session.userId, username: session.username });
}

/** Draws the page. If that fails, the page says so: else it would stay blank, or offer a registration again. */
function show() {
  try {
    draw();
  } catch (error) {
    console.error(error);
    put(byId("main"), h("p", { class: "sheet", role: "alert" }, sentence("show", error)));
  }
}

/** Draws the page for the current player, or the entrance without a player. */
function draw() {
  leaveFrame.abort();
  leaveFrame = new AbortController();
  const playing = game.player !== null;
  for (const id of ["nav", "logout", "purse"]) byId(id).hidden = !playing;
  byId("purse").replaceChildren();
  byId("badge").hidden = true;
  if (playing) {
    purseView(byId("purse"), game, leaveFrame.signal);
    badge(byId("badge"), game, leaveFrame.signal);
  }
  router.open();
  if (connection.isAway) void game.unanswered(); // the message depends on whether a player is logged in
  if (game.player && game.credentials) showKeys(game.credentials, leaveFrame.signal, true);
  game.credentials = null;
}

async function logOut() {
  if (game.player) game.keyring.forget(game.player.id);
  optional(() => history.replaceState(null, "", "#/welcome")); // the next player should not come back here
  try {
    await client.logout();
  } catch (error) {
    console.warn(error);
    notice(isLeftBehind(error) ? sentence("logout", error) : untold, "warn"); // the session has ended here, as the player wanted
  } finally {
    await meet(); // also if there was no session
  }
}

byId("landscape").append(landscape());
byId("brand-mark").append(horseshoe());
byId("theme").append(lamp());
byId("where").textContent = `You play at ${hostOf(api)}.`;
byId("logout").addEventListener("click", () => {
  if (game.guestKeys) askGuest(game.guestKeys, logOut, leaveFrame.signal);
  else void logOut();
});
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault(); // the address belongs to the router
  byId("main").focus();
});
addEventListener("storage", () => void meet());
addEventListener("offline", () => void game.unanswered());

await meet();
game.changed = show;
game.lost = (/** @type {import("./game.js").Loss} */ loss) => connection.lost(loss);
game.reached = () => connection.found();
game.ended = () => void meet();
show();
if (api.refused && game.player) notice(elsewhere.refused(api.refused, hostOf(api)), "warn");
