// Plays one show from registration to prize, with the fetch of Node 20 and nothing else:
//   node first-show.mjs http://127.0.0.1:3000

const ATTEMPTS = 4;
const PASSING = [429, 502, 503, 504]; // the same request may well succeed a moment later
const base = (process.argv[2] ?? "").replace(/\/+$/, "");
let session; // token, refreshToken and user, once there is a player

class CallError extends Error { // facts: status, code, and maybeDone if the change may have been made all the same
  constructor(message, facts) { Object.assign(super(message), facts); }
}

/** One attempt; undefined when no answer came, or only a part of one. */
async function attempt(method, path, body, seconds) {
  const headers = { "Content-Type": "application/json" };
  if (!path.startsWith("/auth/")) headers.Authorization = `Bearer ${session.token}`;
  try {
    const options = { method, headers, body: body && JSON.stringify(body), redirect: "manual", signal: AbortSignal.timeout(seconds * 1000) };
    const response = await fetch(base + path, options); // a redirection would take password and tokens along
    return { status: response.status, retryAfter: response.headers.get("Retry-After"), text: await response.text() };
  } catch { return undefined; }
}

/** A request with its repetitions: the JSON of the answer, or a CallError. */
async function call(method, path, body, seconds = 10) {
  let maybeDone = false;
  let refreshed = path.startsWith("/auth/"); // these carry no access token that could be too old
  for (let tries = 1; ; tries++) {
    const answer = await attempt(method, path, body, seconds);
    if (answer?.status === 401 && !refreshed) {
      refreshed = true; // once: if a new token is refused, the next would be, too
      session.token = (await call("POST", "/auth/refresh", { refreshToken: session.refreshToken })).token;
      continue;
    }
    maybeDone ||= !answer || answer.status >= 500;
    const final = tries >= ATTEMPTS || (answer && !PASSING.includes(answer.status));
    if (final && answer) return read(answer, maybeDone);
    if (final) throw new CallError(`no answer from ${base} to ${method} ${path}`, { maybeDone });
    // Random, so that clients which lost the same server do not come back in step.
    const jitter = Math.random() * Math.min(5000, 200 * 2 ** (tries - 1));
    await new Promise((resolve) => setTimeout(resolve, Math.min(30, answer?.retryAfter) * 1000 || jitter));
  }
}

function read({ status, text }, maybeDone) {
  let json; // of a proxy's page, or of another server's, there is none
  try { json = JSON.parse(text); } catch {}
  if (json && status >= 200 && status < 300) return json;
  const code = json?.error;
  const said = [code, json?.message, json?.details && JSON.stringify(json.details)].filter(Boolean).join(": ");
  throw new CallError(code ? said : `HTTP ${status} from ${base}, which is no answer of this service`, { status, code, maybeDone });
}

/** Makes a change. A lost answer is no failure, and neither is a refusal after it: `look` finds what was made. */
async function change(request, look) {
  try { return await request; } catch (error) {
    if (!error.maybeDone && error.code !== "NOT_FOUND") throw error; // NOT_FOUND: someone else may have judged the show
    const unknown = new Error(`${error.message}; it may have happened, look again in a minute`);
    const found = await look(error).catch((e) => { throw e.code === "INVALID_CREDENTIALS" ? error : unknown; });
    if (!found) throw error;
    return found;
  }
}

async function play() {
  if (!/^https?:/.test(base) || !URL.canParse(base)) throw new Error("usage: node first-show.mjs http://HOST:PORT");
  const name = `rookie${crypto.randomUUID().slice(0, 8)}`;
  const login = { email: `${name}@example.com`, password: crypto.randomUUID() };
  const register = call("POST", "/auth/register", { ...login, username: name, ranchName: `Ranch of ${name}` });
  // Where nothing has answered at all, a log-in would only double the wait.
  session = await change(register, async (error) => error.status && call("POST", "/auth/login", login));
  const { goldBalance } = session.user;
  // The service's clock decides what is still open, and its new token tells the time.
  const now = 1000 * JSON.parse(Buffer.from(session.token.split(".")[1], "base64url")).iat;
  console.log(`Registered ${name}, who has ${goldBalance} gold`);
  const animals = await call("GET", "/animals");
  console.log(`Animals: ${animals.map((a) => `${a.name} (${a.breed}, ${a.stage})`).join(", ")}`);
  const animal = animals.find((a) => a.stage === "adult"); // calves are refused
  if (!animal) throw new Error("there is no adult animal to enter");
  const shows = await call("GET", "/events/shows?tier=rookie"); // until they are judged, also those that have closed
  const [show] = shows.filter((s) => s.entryFee <= goldBalance && Date.parse(s.entryClosesAt) > now)
    .sort((a, b) => Date.parse(b.entryClosesAt) - Date.parse(a.entryClosesAt));
  if (!show) return console.log("No rookie show is open that this player can pay");
  console.log(`Chose ${show.name}: fee ${show.entryFee} gold, open until ${show.entryClosesAt}`);

  const path = `/events/shows/${show.id}`;
  const myEntry = async () => (await call("GET", `/me/entries?show=${show.id}`)).find((e) => e.animalId === animal.id);
  await change(call("POST", `${path}/enter`, { animalId: animal.id }), myEntry);
  console.log(`Entered ${animal.name}`);
  await change(call("POST", `${path}/judge`, undefined, 35), async () => (await call("GET", path)).status === "completed"); // up to 30 s
  console.log("Judged");
  const claimed = async () => { const entry = await myEntry(); return entry?.rewardClaimed && entry; };
  const { goldReward } = await change(call("POST", `${path}/claim-reward`), claimed);
  console.log(`Claimed the prize: ${goldReward} gold`);
  const { rank, score } = await myEntry();
  const { mySeasonScore } = await call("GET", "/events/season");
  console.log(`Standing: rank ${rank ?? "none"}, score ${score ?? "none"}; season score ${mySeasonScore}`);
}

play().catch((error) => { console.error(error.message); process.exitCode = 1; });
