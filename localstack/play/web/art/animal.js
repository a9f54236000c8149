// Animals, drawn by breed. What differs between two of a breed goes by their ids, so that each keeps its face.
import { drawing, s } from "../dom.js";

/**
 * @typedef {object} Coat
 * @property {string} body
 * @property {string} head
 * @property {string} ears
 * @property {string} muzzle
 * @property {string} tuft
 * @property {string} eyes what is around them
 * @property {"patches" | "face" | "none"} white
 */

/** @type {Coat} */
const angus = {
  body: "#2b2527",
  head: "#2b2527",
  ears: "#171315",
  muzzle: "#5b4f50",
  tuft: "#3d3436",
  eyes: "#7a6a63",
  white: "none",
};
/** @type {Coat} */
const holstein = {
  body: "#f7f1e6",
  head: "#2a2528",
  ears: "#2a2528",
  muzzle: "#eab3a4",
  tuft: "#2a2528",
  eyes: "#7a6a63",
  white: "patches",
};
/** @type {Coat} */
const hereford = {
  body: "#a24f2d",
  head: "#a24f2d",
  ears: "#7f3a1f",
  muzzle: "#e9b9a3",
  tuft: "#f6ead8",
  eyes: "#f6ead8",
  white: "face",
};
/** @type {Coat} of breeds that are not drawn yet, too */
const jersey = {
  body: "#c08a55",
  head: "#c08a55",
  ears: "#9c6a3b",
  muzzle: "#5a4436",
  tuft: "#8b5e34",
  eyes: "#f6ead8",
  white: "none",
};

const coats = new Map([
  ["angus", angus],
  ["holstein", holstein],
  ["hereford", hereford],
  ["jersey", jersey],
]);

/**
 * @typedef {object} Sitter
 * @property {string} id
 * @property {string} breed
 * @property {string} [sex]
 */

/**
 * A portrait in a round frame.
 * @param {Sitter} sitter
 */
export function portrait({ id, breed, sex }) {
  const coat = coats.get(breed.toLowerCase()) ?? jersey;
  const draw = chance(id + breed);
  return drawing(
    "0 0 120 120",
    { class: "portrait" },
    s("circle", { cx: 60, cy: 60, r: 60, fill: "var(--portrait-sky)" }),
    s("circle", { cx: 92, cy: 34, r: 13, fill: "var(--portrait-sun)" }),
    s("path", { d: "M4 82 Q32 66 62 76 T118 74 A60 60 0 0 1 4 82Z", fill: "var(--portrait-far)" }),
    s("path", { d: "M7 90 Q40 82 66 88 T114 86 A60 60 0 0 1 7 90Z", fill: "var(--portrait-near)" }),
    s("path", { d: "M19 104 C26 86 42 80 60 80 C78 80 94 86 101 104 A60 60 0 0 1 19 104Z", fill: coat.body }),
    coat.white === "patches" && patches(draw),
    // Ears
    s("path", { d: "M40 44 C27 33 13 36 8 45 C15 57 30 59 41 53Z", fill: coat.ears }),
    s("path", { d: "M80 44 C93 33 107 36 112 45 C105 57 90 59 79 53Z", fill: coat.ears }),
    s("path", { d: "M36 46 C28 40 19 41 15 46 C20 52 29 53 37 51Z", fill: "#d99a8d" }),
    s("path", { d: "M84 46 C92 40 101 41 105 46 C100 52 91 53 83 51Z", fill: "#d99a8d" }),
    // Head
    s("path", {
      d: "M37 42 C38 22 82 22 83 42 C86 56 81 68 78 78 C76 92 70 99 60 99 C50 99 44 92 42 78 C39 68 34 56 37 42Z",
      fill: coat.head,
    }),
    blaze(coat, draw),
    eye(47, coat.eyes),
    eye(73, coat.eyes),
    // Muzzle
    s("ellipse", { cx: 60, cy: 86, rx: 22, ry: 15, fill: coat.muzzle }),
    s("ellipse", { cx: 51, cy: 83, rx: 3.2, ry: 4, fill: "#2a1a1a", opacity: 0.75 }),
    s("ellipse", { cx: 69, cy: 83, rx: 3.2, ry: 4, fill: "#2a1a1a", opacity: 0.75 }),
    s("path", {
      d: "M51 94 Q60 98 69 94",
      fill: "none",
      stroke: "#2a1a1a",
      "stroke-opacity": 0.7,
      "stroke-width": 2,
      "stroke-linecap": "round",
    }),
    // Between the ears
    s("path", {
      d: "M46 32 C46 20 54 24 57 16 C61 24 68 17 70 24 C74 24 76 28 74 33 C66 41 54 41 46 32Z",
      fill: coat.tuft,
    }),
    sex === "male" && ring(),
    sex === "female" && daisy(draw),
  );
}

/** @param {() => number} draw */
function patches(draw) {
  const shift = draw() * 14;
  return s(
    "g",
    { fill: "#2a2528" },
    s("path", { d: `M${24 + shift / 3} 98 C30 86 44 84 47 92 C50 104 36 110 ${30 + shift / 4} 108Z` }),
    s("path", { d: `M${74 + shift / 2} 92 C86 84 98 92 100 103 C94 112 80 112 76 104Z` }),
  );
}

/**
 * The white of a face.
 * @param {Coat} coat
 * @param {() => number} draw
 */
function blaze(coat, draw) {
  if (coat.white === "face") {
    return s("path", { d: "M48 26 C54 23 66 23 72 26 C75 46 72 60 76 80 L44 80 C48 60 45 46 48 26Z", fill: "#f6ead8" });
  }
  if (coat.white !== "patches") return null;
  const wide = 4 + draw() * 5;
  return s("path", {
    d: `M${60 - wide} 26 L${60 + wide} 26 C${62 + wide} 46 ${66 + wide} 60 78 78 C78 92 42 92 42 78 C${54 - wide} 60 ${58 - wide} 46 ${60 - wide} 26Z`,
    fill: "#f7f1e6",
  });
}

/**
 * @param {number} x
 * @param {string} around
 */
function eye(x, around) {
  return s(
    "g",
    {},
    s("ellipse", { cx: x, cy: 58, rx: 6, ry: 6.6, fill: around, opacity: 0.85 }),
    s("circle", { cx: x, cy: 58.5, r: 4.4, fill: "#1c1112" }),
    s("circle", { cx: x + 1.6, cy: 56.6, r: 1.5, fill: "#fff" }),
  );
}

const ring = () =>
  s("path", {
    d: "M54 90 C52 102 68 102 66 90",
    fill: "none",
    stroke: "#e2ac3b",
    "stroke-width": 3.4,
    "stroke-linecap": "round",
  });

/** @param {() => number} draw */
function daisy(draw) {
  const colours = ["#fff6e2", "#f5c6cf", "#f7d774", "#cfd8f5"];
  const petals = colours[Math.floor(draw() * colours.length)];
  const flower = s("g", { transform: "translate(84 33)" });
  for (let i = 0; i < 6; i++) {
    flower.append(s("ellipse", { cx: 0, cy: -6, rx: 3.2, ry: 5, fill: petals, transform: `rotate(${i * 60})` }));
  }
  flower.append(s("circle", { r: 3.6, fill: "#d98b1f" }));
  return flower;
}

/**
 * Numbers from 0 to 1, always the same ones for a text.
 * @param {string} text
 */
export function chance(text) {
  let state = 2166136261;
  for (const letter of text) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 16777619);
  return () => {
    state = Math.imul(state ^ (state >>> 15), 2246822507);
    state = Math.imul(state ^ (state >>> 13), 3266489909);
    return ((state ^= state >>> 16) >>> 0) / 4294967296;
  };
}
