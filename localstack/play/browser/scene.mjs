// The set-up of tests: ranchctl makes shows and changes; the TypeScript client in Node.js plays and reads the results.
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client, memoryStore } from "../../../shared/client/typescript/dist/index.js";
import { root } from "./service.mjs";
import { api } from "./stage.mjs";

const run = promisify(execFile);

/** Runs an operator's command on the tests' service. */
export async function ranchctl(...args) {
  const { stdout } = await run(join(root, "bin/ranchctl"), args, { cwd: process.env.RANCH_TREE });
  return stdout;
}

/** Creates an open show and returns it. */
export async function createShow({ name = unique("Show"), tier = "rookie", fee = 25, closesIn = "48h" } = {}) {
  const id = randomUUID();
  await ranchctl("show", "create", "--id", id, "--name", name, "--tier", tier, "--fee", String(fee), "--closes-in", closesIn, "--force=terms");
  return { id, name, tier, fee };
}

/** Creates many open shows in a tier of their own, one an hour. It returns the tier and the names by closing time. */
export async function createShows(count) {
  const tier = unique("tier").replace(" ", "-");
  const names = Array.from({ length: count }, (_, i) => `${tier} show ${i + 1}`);
  const rows = names.map((name, i) => `${name},${tier},0,${new Date(Date.now() + (i + 1) * 3_600_000).toISOString()}`);
  const file = join(process.env.RANCH_TREE, `${tier}.csv`);
  await writeFile(file, ["name,tier,fee,closes-at", ...rows].join("\n"));
  await ranchctl("show", "create", "-f", file, "--force=terms,large");
  return { tier, names };
}

/** Enters many animals in a show: three animals of each new player. */
export async function crowd(show, count) {
  let left = count;
  const come = async () => {
    while (left > 0) {
      const mine = Math.min(left, 3);
      left -= mine;
      const { client, animals } = await another();
      for (const animal of animals.slice(0, mine)) await client.enter(show.id, animal.id);
    }
  };
  await Promise.all([come(), come(), come(), come()]);
}

export const unique = (word) => `${word} ${randomUUID().slice(0, 8)}`;

/** A registration for a new player. */
export function newcomer() {
  const username = `rider-${randomUUID().slice(0, 8)}`;
  return { email: `${username}@example.com`, username, password: "a long password", ranchName: "Sunny Acres" };
}

/** Logs a player in with a client outside the page. Returns the client, and the account in the answer. */
export async function comeIn(registration) {
  const client = new Client(api, { store: memoryStore() });
  const account = await client.login(registration.email, registration.password);
  return { client, account };
}

/** Registers a new player with a client outside the page. */
export async function another(registration = newcomer()) {
  const client = new Client(api, { store: memoryStore() });
  const user = await client.register(registration);
  const animals = await client.animals();
  return { registration, client, user, animals };
}

/** The gold of a player, by a new log-in. */
export async function goldOf(registration) {
  return (await comeIn(registration)).account.goldBalance;
}
