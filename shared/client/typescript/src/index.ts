// The TypeScript client of the API. The Go package shared/client behaves alike: both pass
// localstack/accept/conformance.
export { Client, type Options } from "./client.js";
export * from "./errors.js";
export { favourites, type Trait } from "./favourites.js";
export { anyStatus, type EntriesAt, type Neighbours, type OwnFilter, type Page, type ShowFilter, type StandingsAt } from "./lists.js";
export { memoryStore, type Session, type SessionEvent, type Store } from "./session.js";
export { isSafe } from "./transport.js";
export { webStore, type WebStorage } from "./webstore.js";
export type * from "./types.js";
export type { Wait } from "./waiting.js";
