// Makes up a name and a password for a guest.

const openings = [
  "Dusty",
  "Golden",
  "Lucky",
  "Quiet",
  "Merry",
  "Sunny",
  "Windy",
  "Amber",
  "Silver",
  "Clover",
  "Maple",
  "Copper",
];
const riders = ["Rider", "Drover", "Wrangler", "Herder", "Spur", "Lasso", "Saddle", "Bronco", "Rancher", "Stirrup"];
const lands = ["Acres", "Meadows", "Hollow", "Creek", "Pastures", "Hill", "Prairie", "Bend", "Ridge", "Fields"];
const letters = "abcdefghijkmnpqrstuvwxyz23456789";

/** @param {number} below */
function draw(below) {
  return crypto.getRandomValues(new Uint32Array(1))[0] % below;
}

/** @param {string[]} words */
const one = (words) => words[draw(words.length)];

/** @param {number} length */
const text = (length) => Array.from({ length }, () => letters[draw(letters.length)]).join("");

/** Makes a guest's registration. No real e-mail address can have the domain guest.example. */
export function guest() {
  const opening = one(openings);
  const username = `${opening}${one(riders)}-${text(5)}`;
  return {
    email: `${username.toLowerCase()}@guest.example`,
    username,
    password: `${text(5)}-${text(5)}-${text(5)}`,
    ranchName: `${opening} ${one(lands)}`,
  };
}
