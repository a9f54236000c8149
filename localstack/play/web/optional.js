// Functions of the browser that the page can do without, such as messages between tabs. A browser may refuse them: for
// example, Firefox throws at a BroadcastChannel if the player blocks all cookies.

/**
 * Returns the result of a step that the page can do without. If the browser refuses the step, the result is null.
 * @template T
 * @param {() => T} step
 * @returns {T | null}
 */
export function optional(step) {
  try {
    return step();
  } catch (error) {
    console.warn(error);
    return null;
  }
}
