// Keeps the focus if its element is replaced. Otherwise a player with a keyboard would begin at the top of the page.
import { put } from "../dom.js";

/**
 * Replaces the children of an element. If the focus was inside, it moves to the new element with the same action or
 * link. If there is none, it moves to the content's landing, an element for this purpose, or to the view's heading.
 * @param {Element} place
 * @param {...import("../dom.js").Child} children
 */
export function swap(place, ...children) {
  const held = place.contains(document.activeElement) ? document.activeElement : null;
  put(place, ...children);
  if (held instanceof HTMLElement) successor(place, held)?.focus();
}

/**
 * @param {Element} place
 * @param {HTMLElement} held
 * @returns {HTMLElement | null}
 */
function successor(place, held) {
  const { act } = held.dataset;
  const href = held.getAttribute("href");
  return (
    (act && same(place, "data-act", act)) ||
    (href && same(place, "href", href)) ||
    place.querySelector("[data-landing]") ||
    document.querySelector(".view-title")
  );
}

/**
 * Returns the first element inside with an attribute's value.
 * @param {Element} place
 * @param {string} attribute
 * @param {string} value
 * @returns {HTMLElement | null}
 */
const same = (place, attribute, value) => place.querySelector(`[${attribute}="${CSS.escape(value)}"]`);
