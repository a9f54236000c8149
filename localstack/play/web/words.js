// All texts of the game, except for errors (errors.js).

/** @param {number} amount */
export const gold = (amount) => `${amount.toLocaleString("en")} gold`;

/** @param {number} amount with its sign, as of a change */
export const signed = (amount) => `${amount < 0 ? "−" : "+"}${Math.abs(amount).toLocaleString("en")}`;

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export const plural = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** The traits in the order of the contract. */
export const traits = /** @type {const} */ ([
  ["weightScore", "Weight"],
  ["milkYieldScore", "Milk yield"],
  ["growthRateScore", "Growth rate"],
  ["temperamentScore", "Temperament"],
  ["coatQualityScore", "Coat quality"],
  ["fertilityScore", "Fertility"],
  ["hardinessScore", "Hardiness"],
  ["showPotentialScore", "Show potential"],
]);

/** The prizes by tier for the ranks 1, 2 and 3; other tiers pay nothing. @type {Record<string, number[]>} */
const prizes = { rookie: [100, 60, 30], pro: [400, 200, 100], elite: [1500, 750, 300] };

/** The tiers that are always offered: those with prizes. */
export const tiers = Object.keys(prizes);

/** @param {string} tier */
export const prizesOf = (tier) => (Object.hasOwn(prizes, tier) ? prizes[tier] : []);

/**
 * @param {string} tier
 * @param {number | null} rank
 */
export const prize = (tier, rank) => prizesOf(tier)[(rank ?? 0) - 1] ?? 0;

/** The points that an entry of a judged show adds to the season's score. @param {number | null} rank */
export const seasonPoints = (rank) => [100, 60, 30, 15, 10][(rank ?? 0) - 1] ?? 5;

/** @param {string} word */
export const capital = (word) => word.slice(0, 1).toUpperCase() + word.slice(1);

/** @param {number} rank */
export function ordinal(rank) {
  const tens = rank % 100;
  const ending = tens > 10 && tens < 14 ? "th" : (["th", "st", "nd", "rd"][rank % 10] ?? "th");
  return `${rank}${ending}`;
}

/** @param {number} fee */
export const fee = (fee) => (fee > 0 ? gold(fee) : "Free");

/** @param {string} status */
export const status = (status) =>
  /** @type {Record<string, string>} */ ({ open: "Open", completed: "Judged", cancelled: "Cancelled" })[status] ??
  capital(status);

/**
 * Returns a duration in its two largest units.
 * @param {number} ms
 */
export function span(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [d, h, m, s] = [
    Math.floor(seconds / 86400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ];
  if (d > 0) return h > 0 ? `${d} d ${h} h` : `${d} d`;
  if (h > 0) return m > 0 ? `${h} h ${m} min` : `${h} h`;
  return m > 0 ? `${m} min ${s} s` : `${s} s`;
}

/** @param {string | Date} time */
export const moment = (time) => new Date(time).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });

/** @param {string | Date} time */
export const day = (time) => new Date(time).toLocaleDateString("en", { dateStyle: "medium" });

/**
 * Returns why the rules do not let an animal enter shows, or null if they do.
 * @param {{ died_at: unknown, status: string, stage: string }} animal
 */
export function unfit(animal) {
  if (animal.died_at) return "Has died, and is remembered.";
  if (animal.status === "pregnant") return "Is expecting a calf, and rests until then.";
  if (animal.stage === "calf") return "Is a calf still, and too young for shows.";
  return null;
}

export const entered = {
  /** @param {string} animal @param {string} show @param {number} fee @param {boolean} resolved the answer was lost */
  said: (animal, show, fee, resolved) =>
    resolved
      ? `The connection broke, but ${animal} is entered in ${show}.${fee > 0 ? " The fee was paid once." : ""}`
      : `${animal} is entered in ${show}. Good luck!${fee > 0 ? ` The fee was ${gold(fee)}.` : ""}`,
};

export const judged = {
  /** @param {string} show @param {boolean} resolved */
  said: (show, resolved) =>
    resolved ? `The connection broke, but ${show} is judged, by you or by somebody else.` : `${show} is judged.`,
  /** @param {{ animalName: string, rank: number | null }} best */
  own: (best) =>
    best.rank === null ? `${best.animalName} was not ranked.` : `${best.animalName} came ${ordinal(best.rank)}.`,
  /** @param {string} animal @param {string} player */
  first: (animal, player) => `First is ${animal} of ${player}.`,
  /** @param {string} animal */
  won: (animal) => `Your ${animal} is first!`,
  /** @param {number} score @param {number} more */
  season: (score, more) =>
    `Season score ${score.toLocaleString("en")}${more > 0 ? ` (${signed(more)})` : ""}.`,
};

export const claimed = {
  /** @param {number} prize @param {boolean} resolved */
  said: (prize, resolved) => {
    const paid = prize > 0 ? `your prize of ${gold(prize)} is yours` : "there was no prize for this place";
    return resolved ? `The connection broke, but ${paid}.` : `${capital(paid)}.`;
  },
};

export const account = {
  /** @param {string} email */
  kept: (email) => `This ranch is yours to keep. From now on, log in with ${email} and your password.`,
  /** @param {string} email */
  email: (email) => `Your e-mail address is ${email} now.`,
  password: "Your password is changed. On other devices you have to log in again.",
  deleted: "Your ranch is deleted. Thank you for playing!",
};

/** After a log-out that the service does not know about. */
export const untold = "You are logged out on this device. The fair could not be told, and may not know of it yet.";

/** Why a session has ended. @param {string | undefined} reason */
export const ended = (reason) =>
  /** @type {Record<string, string>} */ ({
    logout: "You are logged out. See you soon!",
    elsewhere: "You have logged out in another tab.",
    none: "Please log in.",
    banned: "This account has been banned, or deleted: it cannot play any more.",
  })[reason ?? ""] ?? "Please log in again: you have been away for too long.";

/** To a guest whose ranch no longer exists. @param {string} name */
export const noRanch = (name) =>
  `The ranch of ${name} no longer exists, so this device has forgotten its keys. Play as a guest to begin anew.`;

/** What does not work: the message, and further sentences. */
export const away = {
  service: {
    said: "The fair does not answer.",
    more: "You stay logged in, and what is on the page stays. Entering, judging and claiming wait until the fair is back; this page keeps trying.",
  },
  outside: { said: "The fair does not answer.", more: "This page keeps trying." },
  session: {
    said: "We cannot check your log-in right now.",
    more: "What is on the page stays, and this page keeps trying. You can also log in again.",
  },
};

/** The address of a link to another API than the host's. */
export const elsewhere = {
  /** @param {string} host */
  said: (host) => `This link leads to ${host}: your name and password go there.`,
  /** @param {string} host */
  back: (host) => `Play at ${host} instead`,
  /** @param {string} asked @param {string} host */
  refused: (asked, host) => `This link names an API that is none (${asked}). You play at ${host}.`,
};
