// Doubtful refusals of a refresh (see verdictOf).
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "../dist/index.js";
import { answer, api, Service } from "./service.mjs";

const minute = 60_000;
const doubtful = () => answer(401, { error: "INVALID_TOKEN", message: "Invalid refresh token" });
const away = () => {
  throw new TypeError("fetch failed");
};

/**
 * Makes a client with an old token. The result makes a call some minutes later, and returns the error's name.
 */
async function begin() {
  const service = new Service();
  let refreshing = doubtful;
  const fetch = async (url, request) => (url.endsWith("/auth/refresh") ? refreshing() : service.fetch(url, request));
  const client = new Client(api, { fetch, now: service.clock, attempts: 1 });
  await client.login("a@example.com", "password");
  service.now += 15 * minute;
  return async (minutes, how = doubtful) => {
    service.now += minutes * minute;
    refreshing = how;
    const error = await client.animals().then(() => null, (error) => error);
    assert.equal(await client.session() === null, error?.name === "SessionEndedError");
    return error?.name ?? "";
  };
}

test("it ends the session after an hour of nothing else", async () => {
  const asked = await begin();
  for (let minutes = 0; minutes < 60; minutes += 10) assert.equal(await asked(minutes && 10), "ApiError");
  assert.equal(await asked(9), "ApiError");
  assert.equal(await asked(1), "SessionEndedError");
});

for (const [name, between] of Object.entries({
  "another answer": async (asked) => assert.equal(await asked(1, () => answer(500, {})), "ApiError"),
  "no answer": async (asked) => assert.equal(await asked(1, away), "NetworkError"),
  "more than ten minutes in which nobody asked": async (asked) => assert.equal(await asked(10.1), "ApiError"),
  "a clock that was set back": async (asked) => assert.equal(await asked(-20), "ApiError"),
})) {
  test(`it begins anew after ${name}`, async () => {
    const asked = await begin();
    for (let minutes = 0; minutes < 60; minutes += 10) await asked(minutes && 10);
    await between(asked);
    for (let minutes = 0; minutes < 50; minutes += 10) assert.equal(await asked(10), "ApiError");
  });
}

test("it begins anew where another attempt of the same refreshing fared otherwise", async () => {
  const service = new Service();
  const said = [];
  const fetch = async (url, request) => (url.endsWith("/auth/refresh") ? (said.shift() ?? doubtful)() : service.fetch(url, request));
  const client = new Client(api, { fetch, now: service.clock, attempts: 2, wait: async () => {} });
  await client.login("a@example.com", "password");
  service.now += 15 * minute;
  for (let i = 0; i < 6; i++, service.now += 10 * minute) await assert.rejects(client.animals(), { name: "ApiError" });
  said.push(away);
  await assert.rejects(client.animals(), { name: "ApiError" });
  assert.equal((await client.session()).refusedSince, new Date(service.now).toISOString());
});
