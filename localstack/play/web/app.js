// Starts the game: finds the API, makes the client, and follows what becomes of the session.
import { landscape } from "./art/scenery.js";
import { horseshoe, lamp } from "./art/icons.js";
import { Client, memoryStore, webStore } from "./client/index.js";
import { byId } from "./dom.js";
import { isLeftBehind, sentence } from "./errors.js";
import { Game } from "./game.js";
import { storage } from "./keep.js";
import { Connection } from "./parts/connection.js";
import { showKeys } from "./parts/keys.js";
import { notice } from "./parts/notices.js";
import { purseView } from "./parts/purse-view.js";
import { Router } from "./router.js";
import { ended } from "./words.js";

const fallback = "http://127.0.0.1:3000";

/** Which API this page plays against: what its address says, else what its host says, else the one on this machine. */
async function findApi() {
  const asked = new URLSearchParams(location.search).get("api");
  if (asked && URL.canParse(asked)) return asked.replace(/\/+$/, "");
  try {
    const answer = await fetch("./config.json");
    const { api } = /** @type {{ api?: unknown }} */ (answer.ok ? await answer.json() : {});
    if (typeof api === "string" && URL.canParse(api, location.href))
      return new URL(api, location.href).href.replace(/\/+$/, "");
  } catch {
    // A host without it.
  }
  return fallback;
}

const api = await findApi();
const store = storage();
const client = new Client(api, { store: store ? webStore(store) : memoryStore(), onEvent: follow });
const game = new Game(client, api, store);
const router = new Router(game, byId("main"));
const connection = new Connection(api, byId("connection"), () => game.isBack());
let leaveFrame = new AbortController();

/** @param {import("./client/index.js").SessionEvent} event */
function follow(event) {
  if (event.kind === "unreachable") connection.lost();
  if (event.kind === "reachable") connection.found();
  if (event.kind === "sessionEnded") {
    notice(ended(event.reason), event.reason === "logout" ? "plain" : "warn");
    void meet();
  }
}

/** Looks who plays: this tab may not be the one that has logged in or out. */
async function meet() {
  const session = await client.session();
  game.resume(session && { id: session.userId, username: session.username });
}

/** The page as whoever plays sees it. */
function show() {
  leaveFrame.abort();
  leaveFrame = new AbortController();
  const playing = game.player !== null;
  for (const id of ["nav", "logout", "purse"]) byId(id).hidden = !playing;
  byId("purse").replaceChildren();
  if (game.purse) purseView(byId("purse"), game.purse, leaveFrame.signal);
  router.open();
  if (game.player && game.credentials) showKeys(game.credentials, leaveFrame.signal);
  game.credentials = null;
}

async function logOut() {
  history.replaceState(null, "", "#/welcome"); // and not back to here, whoever comes next
  try {
    await client.logout();
  } catch (error) {
    if (isLeftBehind(error)) notice(sentence("logout", error), "warn");
    else console.warn(sentence("logout", error)); // it has ended here, which is what was asked for
  }
}

byId("landscape").append(landscape());
byId("brand-mark").append(horseshoe());
byId("theme").append(lamp());
byId("where").textContent = `You play at ${new URL(api).host}.`;
byId("logout").addEventListener("click", () => void logOut());
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault(); // the address belongs to the router
  byId("main").focus();
});
addEventListener("storage", () => void meet());

await meet();
game.changed = show;
game.lost = () => connection.lost();
show();
