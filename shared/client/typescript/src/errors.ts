import type { Code } from "./types.js";

/** All errors of the client have this class, except for TypeErrors and the reason of a caller that aborted. */
export abstract class RanchError extends Error {}

/** The service refused or failed. The message is the service's sentence, or else the client's own. */
export class ApiError extends RanchError {
  override readonly name = "ApiError";

  constructor(
    readonly status: number,
    readonly code: Code,
    /** The service's sentence, or "". */
    readonly said: string,
    /** Of a form, such as a registration: the sentences about each field. */
    readonly details: Readonly<Record<string, readonly string[]>> = {},
    /** Finds the request in the service's log; "" if the answer has no id, or a browser may not read it. */
    readonly requestId = "",
  ) {
    super(said || (sentences[code] ?? `The service has answered ${status}.`));
  }
}

/** No answer came, and the call changed nothing. It is safe to call again. */
export class NetworkError extends RanchError {
  override readonly name = "NetworkError";

  constructor(cause: unknown) {
    super("The service cannot be reached.", { cause });
  }
}

/** A change whose outcome is in doubt if its answer gets lost. */
export type Change = "enter" | "judge" | "claim" | "register" | "changePassword" | "changeEmail" | "deleteAccount";

/** A change may have been made, and the client could not find out. The cause is the last error. */
export class UnknownOutcomeError extends RanchError {
  override readonly name = "UnknownOutcomeError";
  /** A sentence for people: what to do now. */
  readonly advice: string;

  constructor(
    readonly operation: Change,
    cause: unknown,
  ) {
    super(`It is not known whether this was done. ${advice[operation]}`, { cause });
    this.advice = advice[operation];
  }
}

/** Why a session ended; "elsewhere": another tab ended it. */
export type EndReason = "logout" | "refused" | "banned" | "elsewhere";

/** The player must log in: there is no session ("none"), or it has ended. */
export class SessionEndedError extends RanchError {
  override readonly name = "SessionEndedError";

  constructor(
    readonly reason: EndReason | "none",
    cause?: unknown,
  ) {
    const message = reason === "banned" ? "This account is banned or deleted." : "Please log in.";
    super(message, cause === undefined ? {} : { cause });
  }
}

/**
 * A log-out could not remove the session from its store. Unless the service has ended the session, the next client of
 * the store is still logged in. The cause has the store's error.
 */
export class StoreError extends RanchError {
  override readonly name = "StoreError";

  constructor(cause: unknown) {
    super("You are logged out for now, but the session could not be removed from this device.", { cause });
  }
}

const advice: Record<Change, string> = {
  enter: "Look at the show again in a minute; entering again cannot charge twice.",
  judge: "Look at the show again in a minute; judging again cannot change the ranks.",
  claim: "Look at the show again in a minute; claiming again cannot pay twice.",
  register: "Log in with the same e-mail address and password; if that is refused, register again.",
  changePassword: "Log in with the new password; if that is refused, use the old one.",
  changeEmail: "Look at the account in a minute; changing the address again is safe.",
  deleteAccount: "Try again in a minute; if you can no longer log in, the account is deleted.",
};

// The messages of answers without a message of the service.
const sentences: Partial<Record<Code, string>> = {
  VALIDATION_ERROR: "The service did not understand this.",
  UNAUTHORIZED: "Please log in again.",
  NOT_FOUND: "It does not exist, or no longer exists.",
  ALREADY_CLAIMED: "The prize is claimed already.",
  INTERNAL_ERROR: "The service has failed. Please try again later.",
  TOO_MANY_REQUESTS: "There are too many requests at the moment. Please try again shortly.",
  SERVICE_UNAVAILABLE: "The service is not there at the moment. Please try again shortly.",
  UNEXPECTED: "The service has given an answer that this version does not understand.",
};
