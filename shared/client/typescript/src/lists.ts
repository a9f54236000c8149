import type { Answer } from "./transport.js";

/** A page of a list. */
export interface Page<T> {
  items: T[];
  /** There are items behind the last one: ask for those after it. */
  next: boolean;
  /** There are items before the first one, as a page around or before something says: ask for those before it. */
  prev: boolean;
}

/** Lists shows whatever their status. */
export const anyStatus = "*";

/** Which shows are listed: of a tier, absent for all; of a status, absent for open ones, anyStatus for all. */
export interface ShowFilter {
  tier?: string | undefined;
  status?: string | undefined;
  /** The id of the last show of the page before. */
  after?: string | undefined;
}

/** Which of the caller's entries are listed: of a season, or of a show; absent: of the active season. */
export interface OwnFilter {
  season?: string | undefined;
  show?: string | undefined;
  /** The id of the last entry of the page before. */
  after?: string | undefined;
  /** 1 to 50; absent: 20. */
  limit?: number | undefined;
}

/** Which page of a show's entries is asked for: at most one of after, before and around; the first page without. */
export interface EntriesAt {
  after?: string | undefined;
  before?: string | undefined;
  /** The page with the caller's best entry in the middle. */
  around?: "me" | undefined;
  /** 1 to 100; absent: 50. */
  limit?: number | undefined;
}

/** A path with its query; what is undefined or empty is left out. */
export function withQuery(path: string, parameters: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== "") query.set(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** The path of a list of shows. An empty status is a filter of its own: it lists all. */
export function showsPath({ tier, status, after }: ShowFilter): string {
  const path = withQuery("/events/shows", { tier, after, status: status === anyStatus ? undefined : status });
  if (status !== anyStatus) return path;
  return `${path}${path.includes("?") ? "&" : "?"}status=`;
}

export function pageOf<T>(answer: Answer, items: T[]): Page<T> {
  const link = answer.headers.get("Link") ?? "";
  const has = (relation: string) => new RegExp(`>; *rel="?${relation}"?`).test(link);
  return { items, next: has("next"), prev: has("prev") };
}

/** Goes through page after page: each one behind the last item of the one before. */
export async function* each<T extends { id: string }>(
  first: string | undefined,
  page: (after: string | undefined) => Promise<Page<T>>,
): AsyncGenerator<T, void> {
  for (let after = first; ; ) {
    const { items, next } = await page(after);
    yield* items;
    after = items.at(-1)?.id;
    if (!next || after === undefined) return;
  }
}
