import type { Answer } from "./transport.js";
import { sleep, type Wait } from "./waiting.js";

const base = 200;
const cap = 5_000;
const retryAfterCap = 30_000;

/** The number of attempts of a call, and the waits between them. */
export class Patience {
  readonly attempts: number;

  constructor(
    attempts = 0,
    private readonly wait: Wait = sleep,
    private readonly random: () => number = Math.random,
  ) {
    this.attempts = attempts || 4;
  }

  /**
   * Waits after an attempt, counted from 1: below a bound that doubles from 200 ms to 5 s, but at least Retry-After.
   */
  pause(attempt: number, answer: Answer | null, signal?: AbortSignal): Promise<void> {
    const jittered = this.random() * Math.min(cap, base * 2 ** (attempt - 1));
    return this.wait(Math.max(jittered, answer ? retryAfter(answer.headers) : 0), signal);
  }
}

/**
 * Whether the service could not process the request now. A 500 is final: the service has repeated its own requests
 * before.
 */
export function passes(answer: Answer): boolean {
  return [429, 502, 503, 504].includes(answer.status);
}

/**
 * Returns the milliseconds that an answer's Retry-After asks to wait, 30,000 at most. If there is no Retry-After, or a
 * browser may not read it, it returns 0.
 */
export function retryAfter(headers: Headers): number {
  const asked = headers.get("Retry-After") ?? "";
  const ms = /^\d+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - Date.parse(headers.get("Date") ?? "");
  return Math.min(retryAfterCap, Math.max(0, ms || 0));
}
