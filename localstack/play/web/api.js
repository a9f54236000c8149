// Finds the API that this page uses. A link may name an API (?api=) if config.json of the page's host allows links. The
// page shows a foreign API before the player types anything.
import { isSafe } from "./client/index.js";

/**
 * @typedef {object} Api
 * @property {string} url its base URL, without a slash at the end
 * @property {string} own the API of the page's host
 * @property {string} refused the unusable API that the page's address names, or ""
 */

const fallback = "http://127.0.0.1:3000";

/**
 * Returns the API that the page's address names, if the host's config.json allows links. Otherwise it returns the API
 * of config.json, or without one the API on this machine.
 * @returns {Promise<Api>}
 */
export async function findApi() {
  const host = await ofHost();
  const own = (typeof host.api === "string" ? normal(host.api, location.href) : null) ?? fallback;
  const asked = host.links === true && new URLSearchParams(location.search).get("api");
  if (!asked) return { url: own, own, refused: "" };
  const url = normal(asked);
  return { url: url ?? own, own, refused: url === null ? asked : "" };
}

/** Whether the API has another origin than the API of the page's host. @param {Api} api */
export const isForeign = ({ url, own }) => new URL(url).origin !== new URL(own).origin;

/** @param {Api} api */
export const hostOf = ({ url }) => new URL(url).host;

/** @returns {Promise<{ api?: unknown, links?: unknown }>} */
async function ofHost() {
  try {
    const answer = await fetch("./config.json");
    return answer.ok ? await answer.json() : {};
  } catch {
    return {}; // the host has no config.json
  }
}

/**
 * Returns a base URL in its normal form, or null if the text is no URL or not safe. An API of http:// at the page's own
 * host is as safe as the page, which came the same way (make run HOST=0.0.0.0).
 * @param {string} text
 * @param {string} [base]
 */
function normal(text, base) {
  try {
    const { protocol, origin, hostname, pathname, username, password } = new URL(text, base);
    const likePage = location.protocol === "http:" && hostname === location.hostname;
    if (!["http:", "https:"].includes(protocol) || username || password || !(isSafe(origin) || likePage)) return null;
    return `${origin}${pathname}`.replace(/\/+$/, "");
  } catch {
    return null;
  }
}
