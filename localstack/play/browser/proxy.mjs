// Stands between a page and the API as the network: it can fail, lose answers, or answer in the service's place.
import { once } from "node:events";
import { createServer, request as send } from "node:http";

export async function startProxy(api) {
  const to = new URL(api);
  const seen = []; // of every request: its method, its path and its outcome
  let rules = [];
  let away = false;
  const server = createServer((request, response) => {
    const { method, url } = request;
    const rule = rules.find((r) => method !== "OPTIONS" && r.method === method && r.path.test(url) && r.times > 0);
    if (rule) rule.times--;
    if (rule?.status) {
      seen.push({ method, path: url, status: rule.status });
      request.resume().on("end", () => {
        response.writeHead(rule.status, { "content-type": "application/json", "access-control-allow-origin": "*", connection: "close" });
        response.end(rule.body);
      });
      return;
    }
    const forwarded = send({ host: to.hostname, port: to.port, method, path: url, headers: { ...request.headers, host: to.host } }, (answer) => {
      seen.push({ method, path: url, status: answer.statusCode, lost: rule !== undefined });
      if (rule) {
        answer.resume().on("end", () => request.socket.destroy());
        return;
      }
      // A browser repeats a request by itself if a reused connection ends. So each request gets a new connection.
      response.writeHead(answer.statusCode, { ...answer.headers, connection: "close" });
      answer.pipe(response);
    });
    forwarded.on("error", () => request.socket.destroy());
    request.pipe(forwarded);
  });
  server.on("connection", (socket) => {
    if (away) socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const any = (method, path, times) => ({ method, path, times });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    seen,
    /** From now on nothing gets through, and requests under way fail. */
    goAway() {
      away = true;
      server.closeAllConnections();
    },
    comeBack() {
      away = false;
    },
    /** The service gets these requests, and their answers are lost. */
    lose(method, path, times = 1) {
      rules.push(any(method, path, times));
    },
    /** The service does not get these requests: the proxy answers them. */
    answer(method, path, status, body, times = Infinity) {
      rules.push({ ...any(method, path, times), status, body: JSON.stringify(body) });
    },
    /** Everything gets through again. */
    behave() {
      rules = [];
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
