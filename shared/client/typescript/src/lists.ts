import type { Answer } from "./transport.js";

/** Whether there are other pages. */
export interface Neighbours {
  /** There is a next page: set after to the id of the last item. Page through unclaimed prizes with eachOwnEntry. */
  next: boolean;
  /** There is a page before: set before to the id of the first item. Always false on a page by after. */
  prev: boolean;
}

/** A page of a list. */
export interface Page<T> extends Neighbours {
  items: T[];
}

/** Selects shows of every status. */
export const anyStatus = "*";

/** Selects shows. tier: absent for all. status: absent for open shows, anyStatus for all. */
export interface ShowFilter {
  tier?: string | undefined;
  status?: string | undefined;
  /** The id of the last show of the page before. */
  after?: string | undefined;
}

/**
 * Selects the caller's entries in a season, of all seasons ("all"), or in a show. If both are absent, it selects those of
 * the active season, and with unclaimed those of all seasons.
 */
export interface OwnFilter {
  season?: string | undefined;
  show?: string | undefined;
  /** Only entries with a prize to claim. Pages may be short or empty, and still have a next one. */
  unclaimed?: boolean | undefined;
  /** The id of the last entry of the page before. */
  after?: string | undefined;
  /** The most entries of a page, 1 to 50; absent: 20. */
  limit?: number | undefined;
}

/**
 * Selects a page of a show's entries. Set at most one of after, before and around. {} selects the first page.
 */
export interface EntriesAt {
  after?: string | undefined;
  before?: string | undefined;
  /** The page with the caller's best entry in its middle. */
  around?: "me" | undefined;
  /** The most entries of a page, 1 to 100; absent: 50. */
  limit?: number | undefined;
}

/**
 * Selects a page of a season's standings. Set at most one of after, before and around. {} selects the first page of the
 * active season.
 */
export interface StandingsAt {
  season?: string | undefined;
  /** The playerId of the last player of the page before. */
  after?: string | undefined;
  /** The playerId of the first player of the next page. */
  before?: string | undefined;
  /** The page with the caller in its middle. */
  around?: "me" | undefined;
  /** The most players of a page, 1 to 100; absent: 50. */
  limit?: number | undefined;
}

/** Returns a path with its query. It leaves out parameters that are undefined or empty. */
export function withQuery(path: string, parameters: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** Returns the path of a list of shows. In the API, an empty status selects shows of every status. */
export function showsPath({ tier, status, after }: ShowFilter): string {
  const path = withQuery("/events/shows", { tier, after, status: status === anyStatus ? undefined : status });
  if (status !== anyStatus) return path;
  return `${path}${path.includes("?") ? "&" : "?"}status=`;
}

/** Returns the path and query of another page of a list, which the answer links to; undefined without such a link. */
export function linked(answer: Answer, relation: "next" | "prev"): string | undefined {
  return new RegExp(`<(/[^<>]*)>; *rel="?${relation}"?`).exec(answer.headers.get("Link") ?? "")?.[1];
}

/** Returns whether the answer links to other pages of its list. */
export function neighbours(answer: Answer): Neighbours {
  return { next: linked(answer, "next") !== undefined, prev: linked(answer, "prev") !== undefined };
}
