import { ApiError } from "./errors.js";
import type { Shape } from "./shapes.js";
import type { Code } from "./types.js";

/** Whether no other machine can read requests to an API, because they use TLS or stay on this machine. */
export function isSafe(api: string): boolean {
  try {
    const { protocol, hostname } = new URL(api);
    return protocol !== "http:" || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  } catch {
    return true; // a call to a wrong address fails anyway
  }
}

/** A request: the path with its query, and a body that is sent as JSON. */
export interface Request {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  body?: object;
}

/** An answer, whatever its status. */
export interface Answer {
  status: number;
  headers: Headers;
  body: unknown; // undefined if it is not JSON, or too large
}

/** An attempt got no complete answer. */
export class NoAnswer extends Error {
  constructor(
    cause: unknown,
    /** False if the service has certainly received nothing. */
    readonly sent: boolean,
  ) {
    super("no answer", { cause });
  }
}

/** Sends single requests to the API, without a session or repetition. */
export class Transport {
  constructor(
    readonly api: string,
    private readonly fetch: typeof globalThis.fetch,
  ) {}

  /** Returns the answer. It rejects with NoAnswer, or with the signal's reason. */
  async exchange(request: Request, token: string | null, timeoutMs: number, signal?: AbortSignal): Promise<Answer> {
    signal?.throwIfAborted();
    const attempt = new AbortController();
    const abort = () => attempt.abort(signal?.reason);
    signal?.addEventListener("abort", abort);
    const timer = setTimeout(() => attempt.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    try {
      const response = await this.fetch(this.api + request.path, {
        method: request.method,
        headers: {
          ...(request.body && { "content-type": "application/json" }),
          ...(token !== null && { authorization: `Bearer ${token}` }),
        },
        ...(request.body && { body: JSON.stringify(request.body) }),
        cache: "no-store",
        credentials: "omit",
        redirect: "manual",
        signal: attempt.signal,
      });
      if (isForeign(response.status)) {
        response.body?.cancel().catch(() => {});
        throw new NoAnswer(new Error(`another server has answered ${response.status}: log in to this network`), false);
      }
      return { status: response.status, headers: response.headers, body: parse(await content(response)) };
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof NoAnswer) throw error;
      throw new NoAnswer(attempt.signal.aborted ? attempt.signal.reason : error, !isUnsent(error));
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }
}

// The API sends no redirect (0 in a browser) and no 511: a network's log-in page has answered instead of the service.
const isForeign = (status: number) => status === 0 || (status >= 300 && status < 400) || status === 511;

// The largest answer, a show with 45,000 entries, has 18 MB decompressed.
const mostBytes = 32 * 2 ** 20;

// Returns the body, or "" if it is too large.
async function content(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let bytes = 0; reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > mostBytes) {
      reader.cancel().catch(() => {}); // the rest is not needed
      return "";
    }
    text += decoder.decode(value, { stream: true });
  }
  return text + decoder.decode();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// These are Node.js's names for a connection that was not made, and for a certificate that is not trusted. In a
// browser, both look like a lost answer.
const connecting = ["connect", "getaddrinfo"]; // the system calls that fail then
const neverMade = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;
const notTrusted = /^(ERR_TLS_|CERT_|CRL_|UNABLE_TO_|ERROR_IN_|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE))|SELF_SIGNED_/;

function isUnsent(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause as { code?: unknown; syscall?: unknown } | null) : null;
  const { code, syscall } = cause ?? {};
  return connecting.includes(String(syscall)) || neverMade.test(String(code)) || notTrusted.test(String(code));
}

/** Returns the body of an answer with the wanted status and fields. Any other answer throws an ApiError. */
export function read<T>(answer: Answer, status: number, is: Shape<T>): T {
  if (answer.status !== status || !is(answer.body)) throw refusal(answer);
  return answer.body;
}

/**
 * Returns the error of an unwanted answer. It ignores the body of a 2xx answer.
 */
export function refusal(answer: Answer): ApiError {
  const requestId = answer.headers.get("Apigw-Requestid") ?? "";
  if (answer.status >= 200 && answer.status < 300) return new ApiError(answer.status, "UNEXPECTED", "", {}, requestId);
  const body = (typeof answer.body === "object" && answer.body !== null ? answer.body : {}) as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const code = (text(body["error"]) || codeOf(answer.status)) as Code;
  const details = (typeof body["details"] === "object" ? (body["details"] ?? {}) : {}) as ApiError["details"];
  return new ApiError(answer.status, code, text(body["message"]), details, requestId);
}

function codeOf(status: number): Code {
  if (status === 429) return "TOO_MANY_REQUESTS";
  return status === 502 || status === 503 || status === 504 ? "SERVICE_UNAVAILABLE" : "UNEXPECTED";
}
