// Functions that make elements. Children that are strings become text, never markup.

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, any>} Attributes */

/**
 * Makes an HTML element. An attribute named on... adds a listener. The value true makes an attribute without a value;
 * null, undefined and false make no attribute.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(name, attributes = {}, ...children) {
  return dress(document.createElement(name), attributes, children);
}

/**
 * Makes an SVG element.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function s(name, attributes = {}, ...children) {
  return dress(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

/**
 * Makes a drawing that screen readers skip.
 * @param {string} viewBox
 * @param {Attributes} attributes
 * @param {...Child} children
 */
export function drawing(viewBox, attributes, ...children) {
  return s("svg", { viewBox, "aria-hidden": "true", focusable: "false", ...attributes }, ...children);
}

/**
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} attributes
 * @param {Child[]} children
 * @returns {E}
 */
function dress(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...present(children));
  return element;
}

/**
 * @param {Child[]} children
 * @returns {(Node | string)[]}
 */
function present(children) {
  const there = [];
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    there.push(typeof child === "number" ? String(child) : child);
  }
  return there;
}

/**
 * Replaces the children of an element.
 * @param {Element} place
 * @param {...Child} children
 */
export function put(place, ...children) {
  place.replaceChildren(...present(children));
}

/**
 * Shows a text of a player: the text has its own direction, and may break anywhere.
 * @param {string} text
 * @param {string} [className]
 */
export function name(text, className = "") {
  return h("bdi", { dir: "auto", class: `name ${className}`.trim() }, text);
}

/**
 * Returns the element of index.html with an id.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`index.html has no #${id}`);
  return element;
}

let last = 0;

/** @param {string} what the beginning of an id for labels and descriptions; a number makes it unique */
export const freshId = (what) => `${what}-${++last}`;
