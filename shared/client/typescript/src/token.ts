/** The times in an access token, in milliseconds. */
export interface TokenTimes {
  issuedAt: number;
  lifetimeMs: number;
}

/**
 * Whether the value has the form of a token: three parts of base64url with dots between. Other characters, such as a
 * line break, would make the request fail with an error that shows the token.
 */
export function isToken(value: unknown): value is string {
  return typeof value === "string" && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(value);
}

const longest = 2 ** 31; // in seconds

/**
 * Reads the times of a JSON Web Token without verifying it, to know when to refresh. If the token lacks these times or
 * they are impossible, it returns null: the client then uses the token until the service refuses it.
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
