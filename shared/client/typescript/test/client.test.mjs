import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { Client } from "../dist/index.js";
import { answer, api, Service } from "./service.mjs";

for (const [name, body] of Object.entries({
  "no JSON": "<html>Log in to our network</html>",
  "no object": "true",
  "no token": "{}",
  "an empty one": '{"token":""}',
})) {
  test(`a refresh that is answered 200 with ${name} leaves the session`, async () => {
    const service = new Service();
    const fetch = (url, request) => (url.endsWith("/auth/refresh") ? new Response(body) : service.fetch(url, request));
    const client = new Client(api, { fetch, now: service.clock });
    await client.login("a@example.com", "password");
    service.now += 850_000;
    await assert.rejects(client.animals(), { name: "ApiError", code: "UNEXPECTED", status: 200 });
    assert.equal((await client.session()).username, "rider");
  });
}

test("a refresh that nobody waits for any more is given up, and the next call begins another", async () => {
  const service = new Service();
  let begun;
  const hanging = new Promise((resolve) => (begun = resolve));
  const fetch = async (url, request) => {
    if (!url.endsWith("/auth/refresh") || service.count("/auth/refresh") > 0) return service.fetch(url, request);
    service.log.push("/auth/refresh");
    begun();
    return new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(request.signal.reason)));
  };
  const client = new Client(api, { fetch, now: service.clock });
  await client.login("a@example.com", "password");
  service.now += 850_000;
  const [first, second] = [new AbortController(), new AbortController()];
  const calls = [first, second].map(({ signal }) => client.animals({ signal }));
  await hanging;
  first.abort();
  await assert.rejects(calls[0], { name: "AbortError" });
  second.abort();
  await assert.rejects(calls[1], { name: "AbortError" });
  await client.animals();
  assert.deepEqual(service.log.slice(1), ["/auth/refresh", "/auth/refresh", "/animals"]);
});

test("a listener that throws, at once or later, breaks nothing", async (t) => {
  const complained = t.mock.method(console, "error", () => {});
  for (const onEvent of [() => { throw new Error("of the listener") }, async () => { throw new Error("of the listener") }]) {
    const client = new Client(api, { fetch: new Service().fetch, onEvent });
    await client.login("a@example.com", "password");
    await client.logout();
  }
  await new Promise(setImmediate);
  assert.equal(complained.mock.callCount(), 4);
});

test("an answer without words has a sentence for people", async () => {
  const service = new Service();
  service.others = () => answer(404, { error: "NOT_FOUND" }, { "Apigw-Requestid": "abc=" });
  const client = new Client(api, { fetch: service.fetch });
  await client.login("a@example.com", "password");
  await assert.rejects(client.show("x"), (error) => {
    assert.deepEqual([error.status, error.code, error.said, error.requestId], [404, "NOT_FOUND", "", "abc="]);
    assert.match(error.message, /^[A-Z].*\.$/);
    return true;
  });
});

test("passwords and tokens go to no other machine over http://", async () => {
  const hosts = ["api.example.com", "localhost.example.com", "127.0.0.1.example.com", "localhost@example.com", "10.0.0.1", "[::2]", "0.0.0.0"];
  for (const host of hosts) {
    for (const scheme of ["http", "HTTP"]) {
      assert.throws(() => new Client(`${scheme}://${host}`), { name: "TypeError", message: /allowHttp/ });
      new Client(`${scheme}://${host}`, { allowHttp: true });
    }
    new Client(`https://${host}`);
  }
  for (const host of ["localhost", "LOCALHOST:3000", "127.0.0.1:3000", "127.9.9.9", "[::1]:3000"]) new Client(`http://${host}/`);
});

test("a network that redirects gets no password, and the service cannot be reached", async (t) => {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  t.after(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = new Client(`http://127.0.0.1:${server.address().port}/`, { attempts: 2 });
  await assert.rejects(client.login("a@example.com", "password"), { name: "NetworkError" });
  assert.deepEqual(asked, ["/auth/login", "/auth/login"]);
});
