/** What an access token tells of itself, in milliseconds. */
export interface TokenTimes {
  issuedAt: number;
  lifetimeMs: number;
}

/**
 * Whether this may be sent as a token: three parts of base64url with dots between, as the contract has it. What else
 * stands there, a line break, say, would be shown by the error of the request that cannot be made of it.
 */
export function isToken(value: unknown): value is string {
  return typeof value === "string" && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(value);
}

const longest = 2 ** 31; // seconds

/**
 * Reads the times of a JSON Web Token, unverified: they say when to refresh, and nothing else. A token that does not
 * tell, or nothing that can be, has null: it is used until it is refused.
 */
export function tokenTimes(token: string): TokenTimes | null {
  const { iat, exp } = claims(token);
  if (typeof iat !== "number" || typeof exp !== "number") return null;
  const lifetime = exp - iat;
  if (!(iat > 0 && iat < 100 * longest && lifetime > 0 && lifetime < longest)) return null;
  return { issuedAt: iat * 1000, lifetimeMs: lifetime * 1000 };
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
