import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, memoryStore } from "../dist/index.js";
import { answer, api, Service } from "./service.mjs";

/**
 * Logs in, and answers all attempts of a call, at most eight, with a failure. It returns the waits.
 */
async function delays(random, refused) {
  const service = new Service();
  service.others = refused;
  const waited = [];
  const client = new Client(api, {
    fetch: service.fetch,
    store: memoryStore(),
    attempts: 8,
    random,
    wait: async (ms) => void waited.push(ms),
  });
  await client.login("a@example.com", "password");
  await assert.rejects(client.animals(), { name: "ApiError" });
  assert.equal(service.count("/animals"), waited.length + 1);
  return waited;
}

const away = (headers) => () => answer(503, { message: "Service Unavailable" }, headers);

test("the delay is below a bound that doubles up to 5 s, and may be nothing", async () => {
  assert.deepEqual(await delays(() => 1, away()), [200, 400, 800, 1600, 3200, 5000, 5000]);
  assert.deepEqual(await delays(() => 0.5, away()), [100, 200, 400, 800, 1600, 2500, 2500]);
  assert.deepEqual(await delays(() => 0, away()), [0, 0, 0, 0, 0, 0, 0]);
});

test("real jitter is spread over all of it", async () => {
  const first = [];
  for (let i = 0; i < 200; i++) first.push((await delays(Math.random, away()))[0]);
  assert.ok(first.every((ms) => ms >= 0 && ms < 200));
  assert.ok(Math.min(...first) < 50 && Math.max(...first) > 150);
});

for (const [name, headers, want] of [
  ["seconds", { "Retry-After": "7" }, 7000],
  ["a date, by the answer's own clock", { "Retry-After": "Fri, 20 Nov 2026 09:30:08 GMT", Date: "Fri, 20 Nov 2026 09:30:00 GMT" }, 8000],
  ["a date, without the answer's clock", { "Retry-After": "Fri, 20 Nov 2099 09:30:08 GMT" }, 200],
  ["a date that is over", { "Retry-After": "Fri, 20 Nov 2026 09:30:00 GMT", Date: "Fri, 20 Nov 2026 09:30:08 GMT" }, 200],
  ["an hour, which nobody waits", { "Retry-After": "3600" }, 30_000],
  ["less than the jitter", { "Retry-After": "0" }, 200],
  ["a negative number", { "Retry-After": "-5" }, 200],
  ["rubbish", { "Retry-After": "soon", Date: "now" }, 200],
  ["a number beyond all", { "Retry-After": "9".repeat(400) }, 30_000],
]) {
  test(`Retry-After: ${name}`, async () => {
    assert.equal((await delays(() => 1, away(headers)))[0], want);
  });
}

for (const status of [400, 404, 409, 418, 500, 501]) {
  test(`${status} is not repeated`, async () => {
    assert.deepEqual(await delays(() => 1, () => answer(status, { error: "INTERNAL_ERROR" })), []);
  });
}
