// Log-ins and log-outs during a refresh.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { setImmediate as later } from "node:timers/promises";
import { Client, memoryStore } from "../dist/index.js";
import { answer, api, Service } from "./service.mjs";

let service, refreshing, events;

/** Makes a store whose steps take time, so that other calls can run between them. */
function slow(store = memoryStore()) {
  return {
    load: async () => {
      await later();
      const session = await store.load();
      await later();
      return session;
    },
    update: async (change) => {
      await later();
      await store.update(change);
      await later();
    },
    lock: store.lock,
  };
}

/** Makes a client whose refreshes wait until the test gives an answer or the client aborts them. */
function client(store, options = {}) {
  const fetch = (url, request) => {
    if (!url.endsWith("/auth/refresh")) return service.fetch(url, request);
    service.log.push("/auth/refresh");
    return new Promise((resolve, reject) => {
      const wanted = JSON.parse(request.body).refreshToken;
      refreshing.push({ release: resolve, wanted });
      if (!options.deaf) request.signal.addEventListener("abort", () => reject(request.signal.reason));
    });
  };
  const { deaf: _, ...others } = options;
  const onEvent = ({ kind, reason }) => events.push(reason ? `${kind} ${reason}` : kind);
  return new Client(api, { fetch, now: service.clock, store, onEvent, ...others });
}

async function until(condition) {
  for (const end = Date.now() + 60_000; !condition(); await later()) assert.ok(Date.now() < end, `never: ${condition}`);
}

beforeEach(() => {
  service = new Service();
  service.user = ({ body }) => ({ id: JSON.parse(body).email, username: JSON.parse(body).email });
  [refreshing, events] = [[], []];
});

const revoked = () => answer(401, { error: "INVALID_TOKEN", message: "Refresh token invalid or expired" });
const outcomes = { "a new token": () => answer(200, { token: service.token() }), "that it is revoked": revoked };

for (const [name, answered] of Object.entries(outcomes)) {
  for (const own of [true, false]) {
    const who = own ? "one's own client" : "another client of the store";

    test(`a refreshing that is answered ${name} changes nothing after a log-in by ${who}`, async () => {
      const store = slow();
      const one = client(store, { deaf: true, attempts: 1 });
      const other = own ? one : client(store);
      await one.login("a", "password");
      service.now += 850_000;
      const call = one.animals();
      await until(() => refreshing.length === 1);
      const login = other.login("b", "password");
      if (!own) await login;
      refreshing[0].release(answered());
      await login;
      await assert.rejects(call, { name: "SessionEndedError" });
      assert.equal((await one.session()).username, "b");
      assert.deepEqual(events, ["sessionStarted", "sessionStarted"]);
    });

    test(`a refreshing that is answered ${name} brings nothing back after a log-out by ${who}`, async () => {
      const store = slow();
      const one = client(store, { deaf: true, attempts: 1 });
      const other = own ? one : client(store);
      await one.login("a", "password");
      service.now += 850_000;
      const call = one.animals();
      await until(() => refreshing.length === 1);
      const logout = other.logout();
      if (!own) await logout;
      refreshing[0].release(answered());
      await logout;
      await assert.rejects(call, { name: "SessionEndedError" });
      assert.equal(await store.load(), null);
      assert.deepEqual(events, ["sessionStarted", "sessionEnded logout"]);
    });
  }
}

for (const own of [true, false]) {
  const who = own ? "one's own client" : "another client of the store";

  test(`a new session by ${who}, whose token is refused, does not join the refreshing of the one before`, async () => {
    const store = memoryStore();
    const one = client(store, { deaf: true });
    await one.login("a", "password");
    service.now += 850_000;
    const before = assert.rejects(one.animals(), { name: "SessionEndedError" });
    await until(() => refreshing.length === 1);
    await (own ? one : client(store)).login("b", "password");
    const session = await one.session();
    service.others = (_, { headers }) => answer(...(headers.authorization.endsWith(session.token) ? [401, {}] : [200, []]));
    const call = one.animals();
    await until(() => refreshing.length === 2);
    assert.equal(refreshing[1].wanted, session.refreshToken);
    refreshing[1].release(answer(200, { token: service.token() }));
    assert.deepEqual(await call, []);
    await before;
  });
}

test("the player's own log-in while a call waits for a refreshing lets it go on", async () => {
  const one = client(slow());
  await one.login("a", "password");
  service.now += 850_000;
  const call = one.animals();
  await until(() => refreshing.length === 1);
  await one.login("a", "password");
  assert.deepEqual(await call, []);
  assert.deepEqual(events, ["sessionStarted", "sessionStarted"]);
});

test("a lock that is never to be had is done without, and the request for it withdrawn", async () => {
  const store = memoryStore();
  void store.lock(() => new Promise(() => {}));
  const asked = [];
  const held = { ...store, lock: (work, signal) => (asked.push(signal), store.lock(work, signal)) };
  const one = client(held, { timeoutMs: 50 });
  await one.login("a", "password"); // a log-in needs no session
  service.now += 850_000;
  const call = one.animals();
  await until(() => refreshing.length > 0);
  refreshing.at(-1).release(answer(200, { token: service.token() }));
  assert.deepEqual(await call, []);
  assert.ok(asked[0].aborted);
  assert.deepEqual(events, ["sessionStarted", "sessionRefreshed"]);
});

test("a log-out says so when the store cannot remove the session, and that the service was not reached", async () => {
  const store = memoryStore();
  const full = new Error("of the store");
  const stuck = { ...store, update: async (change) => store.update((s) => { if (s && !change(s)) throw full; return change(s); }) };
  const one = client(stuck);
  await one.login("a", "password");
  await assert.rejects(one.logout(), { name: "StoreError", cause: full });
  assert.equal(await one.session(), null);
  assert.equal(service.count("/auth/logout"), 1);
  const reloaded = client(stuck, { fetch: async () => { throw new TypeError("fetch failed") }, wait: async () => {} });
  await assert.rejects(reloaded.logout(), ({ name, cause }) => {
    assert.deepEqual([name, cause.errors.map((error) => error.name)], ["StoreError", ["Error", "NetworkError"]]);
    return true;
  });
});
