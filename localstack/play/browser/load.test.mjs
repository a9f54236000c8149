// The first view on a slow line: few requests and bytes. Times depend on the machine: the test prints them unchecked.
import assert from "node:assert/strict";
import { createShow } from "./scene.mjs";
import { moveIn, welcome } from "./hands.mjs";
import { address, play, playing } from "./stage.mjs";

const most = { requests: 20, bytes: 64_000 }; // requests to all origins; bytes from the page's own
const slow = { offline: false, latency: 300, downloadThroughput: 1.6e6 / 8, uploadThroughput: 1.6e6 / 8 }; // bytes a second

/** Makes a page's line slow, and returns a list of its responses that came from no cache. */
async function watch(context, page) {
  const requests = new Map();
  const devtools = await context.newCDPSession(page);
  devtools.on("Network.requestWillBeSent", ({ requestId, request }) => requests.set(requestId, { url: request.url, bytes: 0 }));
  devtools.on("Network.responseReceived", ({ requestId, response }) => response.fromDiskCache && requests.delete(requestId));
  devtools.on("Network.requestServedFromCache", ({ requestId }) => requests.delete(requestId));
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => Object.assign(requests.get(requestId) ?? {}, { bytes: encodedDataLength }));
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", slow);
  return () => [...requests.values()];
}

/** Loads a view in a browser without a cache. */
async function load(context, view, there) {
  const page = await context.newPage();
  const seen = await watch(context, page);
  const began = performance.now();
  await page.goto(address(view));
  await there(page).waitFor();
  const took = performance.now() - began;
  await page.waitForLoadState("networkidle");
  const requests = seen();
  const bytes = requests.filter(({ url }) => url.startsWith(play)).reduce((sum, request) => sum + request.bytes, 0);
  console.log(`${view || "#/welcome"} at 300 ms and 1.6 Mbit/s: ${Math.round(took)} ms, ${requests.length} requests, ${bytes} bytes of the page`);
  const list = requests.map(({ url, bytes }) => `${bytes} ${url}`).join("\n");
  assert.ok(requests.length <= most.requests, `${requests.length} requests, more than ${most.requests}:\n${list}`);
  assert.ok(bytes > 0 && bytes <= most.bytes, `${bytes} bytes, more than ${most.bytes}:\n${list}`);
  return page;
}

playing("a new player's first view, and the second, for which the browser has kept the files", async (stage) => {
  const context = await stage.context();
  const page = await load(context, "", welcome);
  const seen = await watch(context, page);
  await page.reload();
  await welcome(page).waitFor();
  await page.waitForLoadState("networkidle");
  assert.deepEqual(seen().map(({ url }) => new URL(url).pathname), ["/", "/config.json"]);
});

playing("the first views of a player who returns", async (stage) => {
  const show = await createShow();
  const before = await stage.context();
  await moveIn(await stage.page({ context: before }));
  const storageState = await before.storageState();
  for (const [view, there] of [
    ["#/ranch", (page) => page.getByRole("heading", { name: "Animals", exact: true }).locator("..").getByRole("article").first()],
    ["#/shows", (page) => page.getByRole("list", { name: "Shows" }).getByRole("article").first()],
    [`#/shows/${show.id}`, (page) => page.getByRole("button", { name: "Enter an animal" })],
  ]) {
    await load(await stage.context({ storageState }), view, there);
  }
});
