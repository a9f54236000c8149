import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { test } from "node:test";
import { Client } from "../dist/index.js";

test("somebody in between who redirects gets no password, and is no answer of the service's", async (t) => {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  t.after(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = new Client(`http://127.0.0.1:${server.address().port}/`);
  await assert.rejects(client.login("a@example.com", "password"), { name: "ApiError", code: "UNEXPECTED", status: 307 });
  assert.deepEqual(asked, ["/auth/login"]);
});
