// Which API this page plays against. A link may name one (?api=) if the page's host allows that in its config.json. The
// page says so before anything is typed.
import { isSafe } from "./client/index.js";

/**
 * @typedef {object} Api
 * @property {string} url its base URL, without a slash at the end
 * @property {string} own that of the page's host
 * @property {string} refused what the address names, where that is no API; "" where it is one, or names none
 */

const fallback = "http://127.0.0.1:3000";

/**
 * What the page's address says, if its host lets links name an API; else what its host says; else the one on this
 * machine.
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

/** Whether it is another's than the page's host has. @param {Api} api */
export const isForeign = ({ url, own }) => new URL(url).origin !== new URL(own).origin;

/** @param {Api} api */
export const hostOf = ({ url }) => new URL(url).host;

/** @returns {Promise<{ api?: unknown, links?: unknown }>} */
async function ofHost() {
  try {
    const answer = await fetch("./config.json");
    return answer.ok ? await answer.json() : {};
  } catch {
    return {}; // a host without it
  }
}

/**
 * A base URL in the one way of writing it; null if it is none, or one to which nothing goes safely.
 * @param {string} text
 * @param {string} [base]
 */
function normal(text, base) {
  if (!URL.canParse(text, base)) return null;
  const { protocol, origin, pathname, username, password } = new URL(text, base);
  if (!["http:", "https:"].includes(protocol) || username || password || !isSafe(origin)) return null;
  return `${origin}${pathname}`.replace(/\/+$/, "");
}
