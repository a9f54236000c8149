// Answers without the required fields, and calls without an answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, memoryStore } from "../dist/index.js";
import { answer, api, jwt, Service } from "./service.mjs";

const show = { id: "s", name: "County Fair", tier: "rookie", status: "completed", entryFee: 10, entries: [] };
const entry = { playerId: "player", animalId: "a", animalName: "Buck", rank: 1, score: 90, rewardClaimed: true };

const own = { id: "e", showId: "s", showName: "County Fair", entryFee: 10, showStatus: "completed", animalId: "a", animalName: "Buck", rank: 1, goldReward: 100, rewardClaimed: true };

/** Makes a client whose changes get the answer of change. detail is the show, entries are the player's own. */
async function playing(change, detail = show, entries = []) {
  const service = new Service();
  service.others = (url, { method }) => {
    if (method === "POST") return change();
    return answer(200, url.includes("/me/entries") ? entries : detail);
  };
  const client = new Client(api, { fetch: service.fetch, now: service.clock, wait: async () => {} });
  await client.login("a@example.com", "password");
  return { service, client };
}

const changes = {
  enter: { call: (client) => client.enter("s", "a"), status: 201, nearly: { success: true, message: "Buck entered!" } },
  judge: { call: (client) => client.judge("s"), status: 200, nearly: { success: true, topThree: {} } },
  claim: { call: (client) => client.claim("s"), status: 200, nearly: { success: true, rank: 1, goldReward: "100" } },
};

for (const [operation, { call, status, nearly }] of Object.entries(changes)) {
  const whole = { success: true, message: "", entryFee: 10, topThree: [], rank: 1, goldReward: 100 };
  for (const body of [{}, [], null, "yes", nearly, { ...whole, success: false }, { ...whole, success: "true" }]) {
    const text = JSON.stringify(body);

    test(`${operation}: ${status} ${text} is no success, and looked up`, async () => {
      const { client } = await playing(() => answer(status, body), { ...show, entries: [entry] }, [own]);
      const { resolved, entryFee, goldReward, topThree } = await call(client);
      assert.equal(resolved, true);
      assert.deepEqual({ enter: entryFee, judge: topThree?.length, claim: goldReward }[operation], { enter: 10, judge: 1, claim: 100 }[operation]);
    });

    test(`${operation}: ${status} ${text} is unknown where nothing is to be seen`, async () => {
      const { client } = await playing(() => answer(status, body), { ...show, status: "open" });
      await assert.rejects(call(client), ({ name, cause }) => {
        assert.deepEqual([name, cause.name, cause.code, cause.status], ["UnknownOutcomeError", "ApiError", "UNEXPECTED", status]);
        return true;
      });
    });
  }
}

test("an entry in a show that was cancelled resolves nothing: its fee has come back", async () => {
  const answers = [() => answer(503, {}), () => answer(404, { error: "NOT_FOUND", message: "Show not found or entry closed" })];
  const { client } = await playing(() => answers.shift()(), show, [{ ...own, showStatus: "cancelled" }]);
  await assert.rejects(client.enter("s", "a"), { name: "ApiError", code: "NOT_FOUND" });
});

for (const [operation, call, bodies] of [
  ["animals", (client) => client.animals(), [{}, "", [null], [7]]],
  ["shows", (client) => client.shows(), [{}, { shows: [] }]],
  ["own entries", (client) => client.ownEntries(), [{}, [null]]],
  ["show", (client) => client.show("s"), [{}, [], { ...show, entries: null }, { ...show, entries: [{}] }, { ...show, entryFee: "10" }]],
  ["season", (client) => client.season(), [{}, [], { active: true }]],
  ["standings", (client) => client.standings(), [{}, [], { standings: {} }]],
]) {
  for (const body of bodies) {
    test(`${operation}: 200 ${JSON.stringify(body)} is unexpected`, async () => {
      const service = new Service();
      service.others = () => answer(200, body);
      const client = new Client(api, { fetch: service.fetch, now: service.clock });
      await client.login("a@example.com", "password");
      await assert.rejects(call(client), { name: "ApiError", code: "UNEXPECTED", status: 200 });
    });
  }
}

test("there is no season where active is false, and nowhere else", async () => {
  const service = new Service();
  const client = new Client(api, { fetch: service.fetch, now: service.clock });
  await client.login("a@example.com", "password");
  service.others = () => answer(200, { active: false });
  assert.equal(await client.season(), null);
  service.others = () => answer(200, { name: "Summer", mySeasonScore: 7, active: true });
  assert.equal((await client.season()).name, "Summer");
});

const [token, refreshToken] = [jwt({ jti: 1 }), jwt({ jti: 2 })];
const user = { id: "other", username: "other" };
for (const body of [
  {},
  [],
  { user },
  { token, refreshToken },
  { token, refreshToken, user: {} },
  { token: `${token}\n`, refreshToken, user },
  { token, refreshToken: `${refreshToken}\r\nX-Own: 1`, user },
  { token: "token", refreshToken, user },
]) {
  for (const operation of ["login", "register"]) {
    test(`${operation}: ${JSON.stringify(body)} replaces no session`, async () => {
      const service = new Service();
      const store = memoryStore();
      await new Client(api, { fetch: service.fetch, now: service.clock, store }).login("a@example.com", "password");
      const before = await store.load();
      const client = new Client(api, { fetch: async () => answer(operation === "login" ? 200 : 201, body), store });
      if (operation === "login") await assert.rejects(client.login("b@example.com", "password"), { code: "UNEXPECTED", status: 200 });
      else await assert.rejects(client.register({ email: "b@example.com", username: "other" }), { name: "UnknownOutcomeError" });
      assert.deepEqual(await store.load(), before);
    });
  }
}

const failing = (cause) => () => {
  throw new TypeError("fetch failed", { cause });
};
const unsent = ["ENETUNREACH", "EHOSTUNREACH", "ECONNREFUSED", "ERR_TLS_CERT_ALTNAME_INVALID", "CERT_HAS_EXPIRED"];
const untrusted = ["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"];
for (const [name, cause, error] of [
  ...[...unsent, ...untrusted].map((code) => [code, { code }, "NetworkError"]),
  ["whatever happens as it connects", { code: "ETIMEDOUT", syscall: "connect" }, "NetworkError"],
  ["a connection that is reset", { code: "ECONNRESET", syscall: "read" }, "UnknownOutcomeError"],
  ["what says nothing of itself", undefined, "UnknownOutcomeError"],
]) {
  test(`a change that fails by ${name} is a ${error}`, async () => {
    const { client } = await playing(failing(cause));
    await assert.rejects(client.enter("s", "a"), { name: error });
  });
}

test("a change that gets a redirect is a NetworkError, although a browser hides the status", async () => {
  const { client } = await playing(() => Response.error());
  await assert.rejects(client.enter("s", "a"), { name: "NetworkError" });
});

test("no attempts and no time mean the usual", async () => {
  const service = new Service();
  service.others = () => answer(503, {});
  const client = new Client(api, { fetch: service.fetch, now: service.clock, wait: async () => {}, attempts: 0, timeoutMs: 0 });
  await client.login("a@example.com", "password");
  await assert.rejects(client.animals(), { name: "ApiError", status: 503 });
  assert.equal(service.count("/animals"), 4);
});
