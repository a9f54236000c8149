// For Node.js alone: import it from "@ranch-game/client/node".
import { mkdir, open, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { inTurn, parseSession, type Store } from "./session.js";
import { sleep } from "./waiting.js";

// A lock that its holder has not touched for that long is left over from a process that has ended.
const staleAfter = 20_000;
const touchedEvery = 4_000;

/**
 * Keeps a session in a file that its owner alone may read, and can be shared by processes of one machine. They refresh
 * in turn by a second file, path.lock; what a process that was killed leaves of it is removed after 20 seconds.
 */
export function fileStore(path: string): Store {
  const file = resolve(path);
  const own = inTurn();
  return {
    load: async () => parseSession(await readFile(file, "utf8").catch(orNull)),
    async save(session) {
      if (session === null) return rm(file, { force: true });
      const fresh = `${file}.${process.pid}.${crypto.randomUUID()}`;
      await mkdir(dirname(file), { recursive: true });
      try {
        await writeFile(fresh, JSON.stringify(session), { mode: 0o600, flag: "wx" });
        await rename(fresh, file);
      } catch (error) {
        await rm(fresh, { force: true });
        throw error;
      }
    },
    lock: (work) => own(() => among(`${file}.lock`, work)),
  };
}

function orNull(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}

// Does the work while this process has the lock file. Two that find a leftover at the same instant may both get it:
// they then refresh both, which costs a request.
async function among<T>(lock: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(lock), { recursive: true });
  while (!(await taken(lock))) {
    if (await isStale(lock)) await rm(lock, { force: true });
    else await sleep(20 + Math.random() * 30);
  }
  const alive = setInterval(() => void utimes(lock, new Date(), new Date()).catch(() => {}), touchedEvery);
  try {
    return await work();
  } finally {
    clearInterval(alive);
    await rm(lock, { force: true });
  }
}

async function taken(lock: string): Promise<boolean> {
  try {
    await (await open(lock, "wx", 0o600)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function isStale(lock: string): Promise<boolean> {
  const found = await stat(lock).catch(orNull);
  return found !== null && Date.now() - found.mtimeMs > staleAfter;
}
