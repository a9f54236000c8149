// Small drawings: coins, ribbons, and the pictures on buttons.
import { drawing, s } from "../dom.js";

export const coin = () =>
  drawing(
    "0 0 24 24",
    { class: "icon coin" },
    s("circle", { cx: 12, cy: 12, r: 10.5, fill: "#c98712" }),
    s("circle", { cx: 12, cy: 11.4, r: 10, fill: "#f3c04c" }),
    s("circle", { cx: 12, cy: 11.4, r: 7.4, fill: "none", stroke: "#c98712", "stroke-width": 1.2 }),
    s("path", {
      d: "M9 7.5c-2 2.7-2 5.8 0 8l1.5-1.3c-1.4-1.7-1.4-3.9 0-6zM15 7.5c2 2.7 2 5.8 0 8l-1.5-1.3c1.4-1.7 1.4-3.9 0-6z",
      fill: "#9a6206",
    }),
  );

/**
 * A rosette with a number.
 * @param {string} text
 * @param {"first" | "second" | "third" | "plain"} kind
 */
export function ribbon(text, kind) {
  const pleats = s("g", { class: "rosette-pleats" });
  for (let i = 0; i < 14; i++)
    pleats.append(s("circle", { cx: 24, cy: 7.5, r: 5, transform: `rotate(${(i * 360) / 14} 24 22)` }));
  return drawing(
    "0 0 48 64",
    { class: `rosette rosette-${kind}` },
    s("path", {
      d: "M16 32 L9 61 L17.5 56 L22 63 L27 34Z M32 32 L39 61 L30.5 56 L26 63 L21 34Z",
      class: "rosette-tails",
    }),
    pleats,
    s("circle", { cx: 24, cy: 22, r: 14, class: "rosette-ring" }),
    s("circle", { cx: 24, cy: 22, r: 11, class: "rosette-heart" }),
    s("text", { x: 24, y: 27, "text-anchor": "middle", class: "rosette-text" }, text),
  );
}

/** @param {number | null} rank */
export const rankRibbon = (rank) => {
  if (rank === null) return ribbon("–", "plain");
  const kinds = /** @type {const} */ (["plain", "first", "second", "third"]);
  return ribbon(String(rank), kinds[rank] ?? "plain");
};

export const lamp = () =>
  drawing(
    "0 0 24 24",
    { class: "icon" },
    s("path", {
      class: "icon-sun",
      d: "M12 7a5 5 0 1 1 0 10 5 5 0 0 1 0-10zM11 1h2v4h-2zM11 19h2v4h-2zM1 11h4v2H1zM19 11h4v2h-4zM3.5 4.9l1.4-1.4 2.9 2.9-1.4 1.4zM16.2 17.6l1.4-1.4 2.9 2.9-1.4 1.4zM19.1 3.5l1.4 1.4-2.9 2.9-1.4-1.4zM6.4 16.2l1.4 1.4-2.9 2.9-1.4-1.4z",
    }),
    s("path", { class: "icon-moon", d: "M20.5 14.8A9 9 0 0 1 9.2 3.5a9 9 0 1 0 11.3 11.3z" }),
  );

export const cross = () =>
  drawing(
    "0 0 24 24",
    { class: "icon" },
    s("path", { fill: "none", stroke: "currentColor", "stroke-width": 2.5, d: "M6 6l12 12M18 6L6 18" }),
  );

export const horseshoe = () =>
  drawing(
    "0 0 64 64",
    { class: "icon" },
    s("path", {
      fill: "currentColor",
      d: "M20 12c-8 9-10 21-6 31 2 5 5 8 9 10 6 3 12 3 18 0 4-2 7-5 9-10 4-10 2-22-6-31H34l1 6h4c6 8 6 18 2 25-4 6-14 6-18 0-4-7-4-17 2-25h4l1-6z",
    }),
  );
