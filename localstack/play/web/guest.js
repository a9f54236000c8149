// A player who wants to play now: a name and a password are made up.

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

/** What a guest registers with. The address is of a domain that nobody can have. */
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
