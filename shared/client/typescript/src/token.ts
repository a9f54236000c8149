/** What an access token tells of itself. The lifetime is 0 where it does not tell. */
export interface TokenTimes {
  lifetimeMs: number;
  /** Null where it does not tell. */
  issuedAt: number | null;
}

/** Reads the times of a JSON Web Token, unverified: they say when to refresh, and nothing else. */
export function tokenTimes(token: string): TokenTimes {
  const { iat, exp } = claims(token);
  const issuedAt = isSecond(iat) ? iat * 1000 : null;
  return { issuedAt, lifetimeMs: issuedAt !== null && isSecond(exp) ? Math.max(0, exp * 1000 - issuedAt) : 0 };
}

function claims(token: string): Record<string, unknown> {
  try {
    const payload = atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
    const value: unknown = JSON.parse(payload);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function isSecond(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}
