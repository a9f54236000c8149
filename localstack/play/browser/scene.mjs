// Scenes, and the truth about them: shows and accidents by ranchctl, and players by the TypeScript client in Node.
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client, memoryStore } from "../../../shared/client/typescript/dist/index.js";
import { root } from "./service.mjs";
import { api } from "./stage.mjs";

const run = promisify(execFile);

/** Runs an operator's command on the service of the tests. */
export async function ranchctl(...args) {
  const { stdout } = await run(join(root, "bin/ranchctl"), args, { cwd: process.env.RANCH_TREE });
  return stdout;
}

/** Creates an open show and returns it. */
export async function createShow({ name = unique("Show"), tier = "rookie", fee = 25, closesIn = "48h" } = {}) {
  const id = randomUUID();
  await ranchctl("show", "create", "--id", id, "--name", name, "--tier", tier, "--fee", String(fee), "--closes-in", closesIn, "--force");
  return { id, name, tier, fee };
}

/** Creates many open shows of a tier of their own, one an hour, and returns the tier and their names by closing time. */
export async function createShows(count) {
  const tier = unique("tier").replace(" ", "-");
  const names = Array.from({ length: count }, (_, i) => `${tier} show ${i + 1}`);
  const rows = names.map((name, i) => `${name},${tier},0,${new Date(Date.now() + (i + 1) * 3_600_000).toISOString()}`);
  const file = join(process.env.RANCH_TREE, `${tier}.csv`);
  await writeFile(file, ["name,tier,fee,closes-at", ...rows].join("\n"));
  await ranchctl("show", "create", "-f", file, "--force");
  return { tier, names };
}

/** Brings many animals into a show, three of each of as many new players as that takes. */
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

/** A name that nobody else has. */
export const unique = (word) => `${word} ${randomUUID().slice(0, 8)}`;

/** What somebody says who registers. */
export function newcomer() {
  const username = `rider-${randomUUID().slice(0, 8)}`;
  return { email: `${username}@example.com`, username, password: "a long password", ranchName: "Sunny Acres" };
}

/** A player who is not in the browser, or the same one beside it: with the client, and what the log-in has told. */
export async function comeIn(registration) {
  const client = new Client(api, { store: memoryStore() });
  const account = await client.login(registration.email, registration.password);
  return { client, account };
}

/** A new player, not in the browser. */
export async function another(registration = newcomer()) {
  const client = new Client(api, { store: memoryStore() });
  const user = await client.register(registration);
  const animals = await client.animals();
  return { registration, client, user, animals };
}

/** What a player has, as a new log-in tells. */
export async function goldOf(registration) {
  return (await comeIn(registration)).account.goldBalance;
}
