import type { Answer } from "./transport.js";
import { sleep, type Wait } from "./waiting.js";

const base = 200;
const cap = 5_000;
const retryAfterCap = 30_000;

/** How often a call is tried, and how long it waits between. */
export class Patience {
  readonly attempts: number;

  constructor(
    attempts = 0,
    private readonly wait: Wait = sleep,
    private readonly random: () => number = Math.random,
  ) {
    this.attempts = attempts || 4;
  }

  /** Waits after an attempt, counted from 1: full jitter, but as long as the answer asks for. */
  pause(attempt: number, answer: Answer | null, signal?: AbortSignal): Promise<void> {
    const jittered = this.random() * Math.min(cap, base * 2 ** (attempt - 1));
    return this.wait(Math.max(jittered, answer ? retryAfter(answer.headers) : 0), signal);
  }
}

/**
 * Whether an answer says that the service could not take the request now. 500 does not: behind it are the service's own
 * repetitions.
 */
export function passes(answer: Answer): boolean {
  return [429, 502, 503, 504].includes(answer.status);
}

/** The milliseconds that an answer asks to wait, at most half a minute; 0 where it does not, or may not be read. */
export function retryAfter(headers: Headers): number {
  const asked = headers.get("Retry-After") ?? "";
  const ms = /^\d+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - Date.parse(headers.get("Date") ?? "");
  return Math.min(retryAfterCap, Math.max(0, ms || 0));
}
