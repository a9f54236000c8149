import type { Answer } from "./transport.js";
import { sleep, type Wait } from "./waiting.js";

const base = 200;
const cap = 5_000;
const retryAfterCap = 30_000;

/** How often a call is tried, and how long it waits in between. */
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
   * Waits after an attempt, counted from 1: a random time (full jitter), but not shorter than the answer's Retry-After.
   */
  pause(attempt: number, answer: Answer | null, signal?: AbortSignal): Promise<void> {
    const jittered = this.random() * Math.min(cap, base * 2 ** (attempt - 1));
    return this.wait(Math.max(jittered, answer ? retryAfter(answer.headers) : 0), signal);
  }
}

/**
 * Whether the answer says that the service could not take the request now. 500 does not, since the service has repeated
 * its own requests before it answers so.
 */
export function passes(answer: Answer): boolean {
  return [429, 502, 503, 504].includes(answer.status);
}

/**
 * Returns the milliseconds that an answer asks to wait, 30,000 at most; 0 if it does not ask, or a browser may not read
 * it.
 */
export function retryAfter(headers: Headers): number {
  const asked = headers.get("Retry-After") ?? "";
  const ms = /^\d+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - Date.parse(headers.get("Date") ?? "");
  return Math.min(retryAfterCap, Math.max(0, ms || 0));
}
