import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "../dist/index.js";
import { api, jwt, Service } from "./service.mjs";

const iat = 1_790_000_000;

/** Logs in with a token, and makes a call one hour later. */
async function play(token) {
  const service = new Service();
  service.token = () => token;
  const client = new Client(api, { fetch: service.fetch, now: service.clock });
  await client.login("a@example.com", "password");
  const ahead = client.serverTime() - service.now;
  service.now += 3_600_000;
  await client.animals();
  return { refreshes: service.count("/auth/refresh"), ahead, now: service.now - 3_600_000 };
}

test("an old token is refreshed before it is used, whatever the clocks say of each other", async () => {
  const { refreshes, ahead, now } = await play(jwt({ iat, exp: iat + 900, username: "Jörg 🐄" }));
  assert.equal(refreshes, 1);
  assert.equal(now + ahead, iat * 1000);
});

for (const [name, token] of Object.entries({
  "has no exp": jwt({ iat }),
  "has no iat": jwt({ exp: iat + 900 }),
  "has times that are texts": jwt({ iat: `${iat}`, exp: `${iat + 900}` }),
  "ends before it begins": jwt({ iat, exp: iat - 900 }),
  "ends when it begins": jwt({ iat, exp: iat }),
  "has a payload that is no object": jwt(null),
  "has a payload that is a list": jwt([]),
  "has a payload that is no JSON": "header.e30x.signature",
  "has a payload that is no base64": "header.a.signature",
  "counts in milliseconds": jwt({ iat: iat * 1000, exp: iat * 1000 + 900 }),
  "was issued beyond all time": jwt({ iat: 1e300, exp: 2e300 }),
  "lives beyond all time": jwt({ iat, exp: 1e308 }),
})) {
  test(`a token is used until it is refused where it ${name}`, async () => {
    const { refreshes, ahead } = await play(token);
    assert.equal(refreshes, 0);
    assert.equal(ahead, 0);
  });
}

test("a short-lived token is refreshed in its last tenth", async () => {
  const service = new Service();
  service.token = () => jwt({ iat, exp: iat + 10, jti: ++service.issued });
  const client = new Client(api, { fetch: service.fetch, now: service.clock });
  await client.login("a@example.com", "password");
  service.now += 9_000;
  await client.animals();
  assert.equal(service.count("/auth/refresh"), 0);
  service.now += 1;
  await client.animals();
  assert.equal(service.count("/auth/refresh"), 1);
});
