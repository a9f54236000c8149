// Which API this page plays against. Whoever writes a link may name one (?api=): that is said before anything is typed.

/**
 * @typedef {object} Api
 * @property {string} url its base URL, without a slash at the end
 * @property {string} own that of the page's host
 * @property {string} refused what the address names, where that is no API; "" where it is one, or names none
 */

const fallback = "http://127.0.0.1:3000";

/** What the page's address says, else what its host says, else the one on this machine. @returns {Promise<Api>} */
export async function findApi() {
  const own = (await ofHost()) ?? fallback;
  const asked = new URLSearchParams(location.search).get("api");
  if (!asked) return { url: own, own, refused: "" };
  const url = normal(asked);
  return { url: url ?? own, own, refused: url === null ? asked : "" };
}

/** Whether it is another's than the page's host has. @param {Api} api */
export const isForeign = ({ url, own }) => new URL(url).origin !== new URL(own).origin;

/** @param {Api} api */
export const hostOf = ({ url }) => new URL(url).host;

async function ofHost() {
  try {
    const answer = await fetch("./config.json");
    const { api } = /** @type {{ api?: unknown }} */ (answer.ok ? await answer.json() : {});
    return typeof api === "string" ? normal(api, location.href) : null;
  } catch {
    return null; // a host without it
  }
}

/**
 * A base URL in the one way of writing it, null where it is none.
 * @param {string} text
 * @param {string} [base]
 */
function normal(text, base) {
  if (!URL.canParse(text, base)) return null;
  const { protocol, origin, pathname, username, password } = new URL(text, base);
  if (!["http:", "https:"].includes(protocol) || username || password) return null;
  return `${origin}${pathname}`.replace(/\/+$/, "");
}
