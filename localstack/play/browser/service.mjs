// The real service and the page, on ports of their own, for one run of the tests.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../../..");

/**
 * Starts ranch-local in a working tree of its own, so that tools of this tree do not find it. Waits until it is ready.
 * The settings are variables of make run, such as FRONT.
 */
export async function startService(settings = {}) {
  const tree = await mkdtemp(join(tmpdir(), "ranch-browser-"));
  try {
    const [api, play, db] = await freePorts(3);
    await plant(tree);
    const env = { ...process.env, PORT: api, PLAY_PORT: play, DB_PORT: db, HOST: "", DATA_DIR: "none", SEED: "demo", THROTTLE: "", FRONT: "", JUDGE_DUE: "", ...settings };
    const child = spawn(join(root, "bin/ranch-local"), { cwd: tree, env, stdio: ["ignore", "pipe", "pipe"] });
    let log = "";
    const ended = once(child, "exit");
    await new Promise((ready, fail) => {
      const hear = (text) => {
        log += text;
        if (log.includes("\nReady: ")) ready();
      };
      child.stdout.setEncoding("utf8").on("data", hear);
      child.stderr.setEncoding("utf8").on("data", hear);
      child.on("error", fail);
      child.on("exit", (status) => fail(new Error(`ranch-local ended at its start with ${status}:\n${log}`)));
    });
    return {
      api: `http://127.0.0.1:${api}`,
      play: `http://127.0.0.1:${play}`,
      tree,
      lastLines: () => log.split("\n").slice(-30).join("\n"),
      async stop() {
        child.kill("SIGTERM");
        const [status] = await ended;
        await rm(tree, { recursive: true, force: true });
        if (status !== 0) throw new Error(`ranch-local ended with ${status}:\n${log}`);
      },
    };
  } catch (error) {
    await rm(tree, { recursive: true, force: true });
    throw error;
  }
}

// Makes a folder that looks like the repository to ranch-local, with the functions that make has built.
async function plant(tree) {
  await copyFile(join(root, "template.yaml"), join(tree, "template.yaml"));
  await writeFile(join(tree, "Makefile"), ".PHONY: engine functions\nengine functions:\n");
  await mkdir(join(tree, ".build"));
  await symlink(join(root, ".build/functions"), join(tree, ".build/functions"));
  for (const folder of ["localstack", "functions", "infra", "shared", "docs"]) await symlink(join(root, folder), join(tree, folder));
}

// Chooses ports below those that systems use for outgoing connections, as localstack/kit/loopback does.
async function freePorts(count) {
  const ports = new Set();
  while (ports.size < count) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function isFree(port) {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
