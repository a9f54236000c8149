// Service stands in for the service: its method fetch answers log-ins, log-outs and refreshes. A test answers the rest.

/** Makes a token with the claims. */
export function jwt(claims) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "HS256" })}.${part(claims)}.signature`;
}

export function answer(status, body, headers = {}) {
  return new Response(body === undefined ? null : JSON.stringify(body), { status, headers });
}

export const api = "https://api.example.com";

/** log has the paths of the requests. now is the time of the service and its clients, in milliseconds. */
export class Service {
  log = [];
  now = Date.parse("2026-11-20T09:30:00Z");
  issued = 0;

  clock = () => this.now;

  token() {
    const iat = Math.floor(this.now / 1000);
    return jwt({ sub: "player", iat, exp: iat + 900, jti: ++this.issued });
  }

  /** Answers other paths. A test can override it. */
  others = () => answer(200, []);

  /** Returns the player who logs in. A test can override it. */
  user = () => ({ id: "player", username: "rider" });

  fetch = async (url, request) => {
    const path = url.slice(api.length);
    this.log.push(path);
    request.signal.throwIfAborted();
    if (path === "/auth/login") {
      const token = this.token();
      return answer(200, { token, refreshToken: `refresh.${this.issued}.signature`, user: this.user(request) });
    }
    if (path === "/auth/refresh") return answer(200, { token: this.token() });
    if (path === "/auth/logout") return answer(200, { success: true });
    return this.others(path, request);
  };

  count(path) {
    return this.log.filter((logged) => logged === path).length;
  }
}
