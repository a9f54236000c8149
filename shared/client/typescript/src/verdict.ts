import { type ApiError, NetworkError } from "./errors.js";
import type { Session } from "./session.js";

const believedAfter = 3_600_000; // a row of refusals that may be failures of the service's own
const unbrokenBy = 600_000; // between two of such a row

/**
 * What a failed refreshing means: the reason for which the session has ended; "doubtful", which the service answers to
 * a token that does not verify, and to an unexpected failure of its own; or that it says nothing of the session.
 */
export type Verdict = "refused" | "banned" | "doubtful" | "failed";

export function verdictOf(failure: ApiError | NetworkError): Verdict {
  if (failure instanceof NetworkError) return "failed";
  const { status, code, said } = failure;
  if (status === 400 && code === "MISSING_TOKEN") return "refused";
  if (status === 401 && code === "UNAUTHORIZED") return "banned";
  if (status !== 401 || code !== "INVALID_TOKEN") return "failed";
  return said === "Refresh token invalid or expired" ? "refused" : "doubtful";
}

/**
 * Notes a doubtful refusal in a session; null where it has ended by it, because an hour long nothing else came. Asked
 * seldom, or by a clock that was set back, it begins anew.
 */
export function doubted(session: Session, now: number): Session | null {
  const since = Date.parse(session.refusedSince ?? "");
  const last = Date.parse(session.refusedLast ?? "");
  const refusedLast = new Date(now).toISOString();
  const isUnbroken = since <= last && last <= now && now - last <= unbrokenBy; // not where one of them is not there
  if (!isUnbroken) return { ...session, refusedSince: refusedLast, refusedLast };
  return now - since >= believedAfter ? null : { ...session, refusedLast };
}

/** The session without such notes. */
export function undoubted(session: Session): Session {
  const { refusedSince, refusedLast, ...rest } = session;
  return refusedSince === undefined && refusedLast === undefined ? session : rest;
}
