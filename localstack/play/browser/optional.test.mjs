// Browsers refuse functions, such as storage and messages between tabs if the player blocks all cookies. The page goes on
// without each of them: a registration counts, and a reload shows the player's ranch.
import assert from "node:assert/strict";
import { messages, moveIn, ranch, welcome, win } from "./hands.mjs";
import { comeIn, createShow } from "./scene.mjs";
import { api, playing } from "./stage.mjs";

// Functions and properties of a window that throw, as paths.
const refused = [
  "BroadcastChannel",
  "BroadcastChannel.prototype.postMessage",
  "localStorage",
  "Storage.prototype.setItem",
  "Navigator.prototype.locks",
  "LockManager.prototype.request",
  "LockManager.prototype.query",
  "SubtleCrypto.prototype.digest",
  "History.prototype.replaceState",
  "scrollTo",
  "Element.prototype.scrollIntoView",
  "Element.prototype.getAnimations",
];
const withoutStorage = ["localStorage", "Storage.prototype.setItem"];

// Runs in the page.
function refuse(paths) {
  const refusal = () => {
    throw new DOMException("The operation is insecure.", "SecurityError");
  };
  for (const path of paths.map((path) => path.split("."))) {
    const owner = path.slice(0, -1).reduce((place, name) => place?.[name], globalThis);
    if (!owner) continue; // about:blank has less
    const isFunction = !["locks", "localStorage"].includes(path.at(-1));
    const made = isFunction ? { value: function () { return refusal(); }, writable: true } : { get: refusal };
    Object.defineProperty(owner, path.at(-1), { configurable: true, ...made });
  }
}

/** Opens the page in a browser that refuses the functions. registrations counts those that the page sends. */
async function refusing(stage, paths) {
  const context = await stage.context();
  await context.addInitScript(refuse, paths);
  const registrations = [];
  context.on("request", (request) => request.url() === `${api}/auth/register` && request.method() === "POST" && registrations.push(request));
  return { page: await stage.page({ context }), registrations };
}

for (const path of refused) {
  playing(`a guest plays and comes back in a browser that refuses ${path}`, async (stage) => {
    const { page, registrations } = await refusing(stage, [path]);
    await welcome(page).click();
    await page.getByRole("dialog", { name: "Your guest ranch" }).getByRole("button", { name: "Start playing" }).click();
    await ranch(page).waitFor();
    assert.equal(registrations.length, 1);
    await page.reload();
    await (withoutStorage.includes(path) ? welcome(page) : ranch(page)).waitFor();
    if (withoutStorage.includes(path)) return;
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByRole("button", { name: "I have them: log out" }).click();
    await welcome(page).waitFor();
  });
}

playing("the whole loop goes on in a browser that refuses all of it but channels without messages", async (stage) => {
  const show = await createShow({ fee: 25 });
  const { page, registrations } = await refusing(stage, refused.slice(1));
  const me = await moveIn(page);
  assert.equal(registrations.length, 1);
  const [animal] = await (await comeIn(me)).client.animals();
  await page.evaluate((id) => (location.hash = `#/shows/${id}`), show.id);
  await page.getByRole("heading", { level: 1, name: show.name }).waitFor();
  await win(page, show, animal.name);
});

playing("a page that cannot be drawn says so, and offers no second registration", async (stage) => {
  const { page, registrations } = await refusing(stage, []);
  await page.evaluate(() => {
    console.error = console.warn; // the page reports the failure
    document.createElementNS = () => {
      throw new Error("no drawings");
    };
  });
  await welcome(page).click();
  await page.getByRole("main").getByRole("alert").getByText("Something went wrong on this page.").waitFor();
  assert.deepEqual([await welcome(page).count(), registrations.length], [0, 1]);
});
