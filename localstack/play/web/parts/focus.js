// Focus, where what had it is replaced: nobody who goes by keyboard is thrown back to the top of the page.
import { put } from "../dom.js";

/**
 * Puts children in the place of what was there. If the focus was in it, what has taken the place of what had it gets
 * it: the same act or the same link, else where the content wants it, else the view's heading.
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
 * The first element within a place that has an attribute's value.
 * @param {Element} place
 * @param {string} attribute
 * @param {string} value
 * @returns {HTMLElement | null}
 */
const same = (place, attribute, value) => place.querySelector(`[${attribute}="${CSS.escape(value)}"]`);
