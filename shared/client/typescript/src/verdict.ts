import { type ApiError, NetworkError } from "./errors.js";
import type { Session } from "./session.js";

const believedAfter = 3_600_000; // after an hour with nothing but doubtful refusals, the session ends
const unbrokenBy = 600_000; // the longest gap between two refusals of the same hour

/**
 * The meaning of a failed refresh. "refused" and "banned": the session has ended. "doubtful": either the service cannot
 * verify the token, or it has an unexpected failure. "failed": nothing is known about the session.
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
 * Notes a doubtful refusal in a session. After an hour without another answer, the session has ended, and the result is
 * null. After a gap of over ten minutes, or if the clock was set back, the hour starts again.
 */
export function doubted(session: Session, now: number): Session | null {
  const since = Date.parse(session.refusedSince ?? "");
  const last = Date.parse(session.refusedLast ?? "");
  const refusedLast = new Date(now).toISOString();
  const isUnbroken = since <= last && last <= now && now - last <= unbrokenBy; // false if one of them is missing
  if (!isUnbroken) return { ...session, refusedSince: refusedLast, refusedLast };
  return now - since >= believedAfter ? null : { ...session, refusedLast };
}

/** Returns the session without the times of doubtful refusals. */
export function undoubted(session: Session): Session {
  const { refusedSince, refusedLast, ...rest } = session;
  return refusedSince === undefined && refusedLast === undefined ? session : rest;
}
