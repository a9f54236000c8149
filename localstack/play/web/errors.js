// The sentences that the page shows for errors, by operation and code.
import { ApiError, NetworkError, SessionEndedError, StoreError, UnknownOutcomeError } from "./client/index.js";
import { ended } from "./words.js";

/**
 * @typedef {"register" | "login" | "logout" | "gold" | "animals" | "own" | "shows" | "show" | "enter" | "judge" | "claim" | "season"
 * | "seasons" | "standings" | "keep" | "changeEmail" | "changePassword" | "deleteAccount"} Operation
 */

/** For every operation. @type {Record<import("./client/index.js").Code, string>} */
const always = {
  VALIDATION_ERROR: "Something in it is missing or wrong. Look it over, and try again.",
  INVALID_CREDENTIALS: "There is no account with this e-mail address and this password. Look for a typo in either.",
  OAUTH_ACCOUNT: "This account has no password: it logs in through another service, which this page does not offer.",
  BANNED: "This account has been banned. It cannot log in any more.",
  MISSING_TOKEN: "Please log in again.",
  INVALID_TOKEN: "We cannot check your log-in right now. Try again in a moment.", // a refused token is SessionEndedError
  UNAUTHORIZED: "Please log in again.",
  CONFLICT: "Somebody has this e-mail address or this username already. Choose another one, or log in if it was you.",
  NOT_FOUND: "It is not there, or not any more.",
  DUPLICATE: "This animal is in the show already.",
  INVALID: "This animal may not be shown now.",
  INSUFFICIENT_GOLD:
    "You have not enough gold for the entry fee. Win some first: rookie shows are cheap, and some are free.",
  ALREADY_CLAIMED: "You have claimed this prize already.",
  CLOSED: "The fair is closed for a while, and nothing is lost. Come back soon.",
  TOO_MANY_REQUESTS: "The fair is crowded just now. Wait a moment, and try again.",
  SERVICE_UNAVAILABLE: "The fair does not answer just now. Wait a moment, and try again.",
  INTERNAL_ERROR: "Something broke at the fair, and it was not you. Try again in a moment.",
  UNEXPECTED:
    "The fair gave an answer that this page does not understand. Load the page again; it may be of another version.",
};

/**
 * Sentences for an error of one operation that say more than the general sentence. A key with the service's message
 * after the code is only for answers with this message.
 * @type {Record<string, string>}
 */
const better = {
  "login VALIDATION_ERROR": "Fill in your e-mail address and your password.",
  "register VALIDATION_ERROR": "Some fields need another look. What is wrong stands beside them.",
  "register INTERNAL_ERROR": "Your ranch could not be made, and it was not you. Try again in a moment.",
  "login INTERNAL_ERROR": "You could not be logged in, and it was not you. Try again in a moment.",
  "register TOO_MANY_REQUESTS": "Many people are moving in just now. Wait a moment, and try again.",
  "show NOT_FOUND": "There is no such show. It may have been taken off the board.",
  "enter NOT_FOUND Show not found or entry closed": "Entry to this show has closed. Nothing was paid.",
  "enter NOT_FOUND Animal not found": "This animal is not on your ranch, or has died. Nothing was paid.",
  "enter VALIDATION_ERROR": "Choose one of your animals first.",
  "enter INVALID Pregnant animals cannot enter shows":
    "She is expecting a calf, and stays at home until then. Nothing was paid.",
  "enter INVALID Calves cannot enter shows": "Calves are too young for shows. Nothing was paid.",
  "judge NOT_FOUND": "This show is not open any more: it has been judged or cancelled.",
  "judge INTERNAL_ERROR": "The judges could not finish, and nothing was decided. Try again in a moment.",
  "keep VALIDATION_ERROR": "Some fields need another look. What is wrong stands beside them.",
  "keep CONFLICT": "Somebody has this e-mail address already. Choose another one.",
  "keep INVALID_CREDENTIALS":
    "The keys on this device do not fit any more. Perhaps the ranch is yours already: log out, and log in with your own password.",
  "changeEmail VALIDATION_ERROR": "Some fields need another look. What is wrong stands beside them.",
  "changeEmail CONFLICT": "Somebody has this e-mail address already. Choose another one.",
  "changeEmail INVALID_CREDENTIALS": "This is not your password. Nothing was changed.",
  "changePassword VALIDATION_ERROR": "Some fields need another look. What is wrong stands beside them.",
  "changePassword INVALID_CREDENTIALS": "This is not your current password. Nothing was changed.",
  "deleteAccount INVALID_CREDENTIALS": "This is not your password. Nothing was deleted.",
  "standings NOT_FOUND": "There is no such season.",
  "claim NOT_FOUND":
    "There is nothing for you to claim here: the show is not judged yet, or no animal of yours was in it.",
};

/**
 * How a sentence begins if it is unknown whether the service has made a change. The client's advice follows.
 * @type {Record<string, string>}
 */
const unknown = {
  register: "The connection broke, and it is not certain that your ranch was made.",
  enter: "The connection broke, and it is not certain that your animal is entered.",
  judge: "The connection broke, and it is not certain that the show is judged.",
  claim: "The connection broke, and it is not certain that your prize was paid.",
  keep: "The connection broke, and it is not certain that the ranch is yours.",
  changeEmail: "The connection broke, and it is not certain that the address was changed.",
  changePassword: "The connection broke, and it is not certain that the password was changed.",
  deleteAccount: "The connection broke, and it is not certain that the ranch was deleted.",
};

const away = {
  reading: "The fair cannot be reached just now. This fills in when it is back.",
  changing: "The fair cannot be reached. Nothing was changed: try again when it is back.",
};

/** @param {Operation} operation */
const isReading = (operation) => ["gold", "animals", "own", "shows", "show", "season", "seasons", "standings"].includes(operation);

/**
 * Returns the sentence that tells the player about an error of an operation.
 * @param {Operation} operation
 * @param {unknown} error
 * @returns {string}
 */
export function sentence(operation, error) {
  if (error instanceof SessionEndedError) return ended(error.reason);
  if (error instanceof UnknownOutcomeError) return `${unknown[operation] ?? ""} ${error.advice}`.trim();
  if (error instanceof StoreError)
    return "This browser did not let go of your log-in: who opens the page again plays as you. Clear its data of this page.";
  if (error instanceof NetworkError) return isReading(operation) ? away.reading : away.changing;
  if (error instanceof ApiError) {
    const known = Object.hasOwn(always, error.code) ? always[error.code] : always.UNEXPECTED;
    return better[`${operation} ${error.code} ${error.said}`] ?? better[`${operation} ${error.code}`] ?? known;
  }
  return "Something went wrong on this page. Load it again.";
}

/**
 * Returns the sentences in a registration's answer by field, without fields that have no list of sentences.
 * @param {unknown} error
 * @returns {Readonly<Record<string, readonly string[]>>}
 */
export function fieldProblems(error) {
  const details = error instanceof ApiError ? Object.entries(error.details ?? {}) : [];
  return Object.fromEntries(details.filter(([, said]) => Array.isArray(said)));
}

/**
 * Whether a call failed because of the service: it gave no answer, or answered with an error.
 * @param {unknown} error
 */
export const isOfService = (error) => error instanceof NetworkError || error instanceof ApiError;

/** Whether the service is away: no answer came, or SERVICE_UNAVAILABLE. @param {unknown} error */
export const isAway = (error) =>
  error instanceof NetworkError || (error instanceof ApiError && error.code === "SERVICE_UNAVAILABLE");

/**
 * Whether the error says that a log-out could not remove the session from the browser's storage.
 * @param {unknown} error
 */
export const isLeftBehind = (error) => error instanceof StoreError;

/** Whether the session has ended, or there was no session. @param {unknown} error */
export const isEnded = (error) => error instanceof SessionEndedError;

/** Whether the page aborted the call. @param {unknown} error */
export const isAbort = (error) => error instanceof DOMException && error.name === "AbortError";

/**
 * @param {unknown} error
 * @param {string} code
 */
export const isCode = (error, code) => error instanceof ApiError && error.code === code;

/** @param {unknown} error */
export const isUnknownOutcome = (error) => error instanceof UnknownOutcomeError;
