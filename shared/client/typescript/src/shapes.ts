import { isToken } from "./token.js";
import type * as t from "./types.js";

// The fields that an answer must have, because clients rely on them. The service's tests check the rest of the
// contract.

/** Whether a body has the required fields. */
export type Shape<T> = (body: unknown) => body is T;

export interface Started<U> {
  user: U;
  token: string;
  refreshToken: string;
}

export const isRegistered: Shape<Started<t.User>> = isStarted;
export const isLoggedIn: Shape<Started<t.Account>> = isStarted;

export const isRefreshed = (body: unknown): body is { token: string } => isRecord(body) && isToken(body["token"]);

export const isSession = (body: unknown): body is { token: string; refreshToken: string } =>
  isRecord(body) && isToken(body["token"]) && isToken(body["refreshToken"]);

export const isDone = (body: unknown): body is { success: true } => isRecord(body) && body["success"] === true;

export const isEntered = (body: unknown): body is Omit<t.Entered, "resolved"> =>
  isDone(body) && Number.isFinite((body as Fields)["entryFee"]);

export const isJudged = (body: unknown): body is Omit<t.Judged, "resolved"> =>
  isDone(body) && isList((body as Fields)["topThree"]);

export const isClaimed = (body: unknown): body is Omit<t.Claimed, "resolved"> =>
  isDone(body) && Number.isFinite((body as Fields)["goldReward"]);

export const isIdentified = <T>(body: unknown): body is T => isRecord(body) && areTexts(body["id"]);

export const isShow = (body: unknown): body is t.ShowDetail =>
  isRecord(body) &&
  areTexts(body["id"], body["status"]) &&
  Number.isFinite(body["entryFee"]) &&
  isList(body["entries"]) &&
  body["entries"].every((entry) => areTexts(entry["playerId"], entry["animalId"]));

export const isSeason = (body: unknown): body is t.Season | { active: false } =>
  isRecord(body) && (body["active"] === false || Number.isFinite(body["mySeasonScore"]));

export const isStandings = (body: unknown): body is t.StandingsPage => isRecord(body) && isList(body["standings"]);

type Fields = Record<string, unknown>;

function isStarted<U>(body: unknown): body is Started<U> {
  if (!isRecord(body) || !isRecord(body["user"])) return false;
  const { id, username } = body["user"] as { id?: unknown; username?: unknown };
  return areTexts(id, username) && isToken(body["token"]) && isToken(body["refreshToken"]);
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList<T = Fields>(value: unknown): value is T[] {
  return Array.isArray(value) && value.every(isRecord);
}

function areTexts(...values: unknown[]): boolean {
  return values.every((value) => typeof value === "string" && value !== "");
}
