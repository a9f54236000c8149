// For Node.js: import it from "@ranch-game/client/node".
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { among, longestUpdate } from "./lockfile.js";
import { inTurn, parseSession, type Session, type Store } from "./session.js";

/**
 * Keeps a session in a file that only its owner may read, and that Node.js processes of one machine can share. A second
 * file, path.node-turn, is the lock for refreshes, and a third, path.node-update, the lock for updates. If a process
 * has ended without releasing a lock, the next process gets it. The other clients read the same file but lock it in
 * another way: do not use one file with two clients at the same time. An update throws a TimeoutError if other processes
 * hold the lock for 8 s.
 */
export function fileStore(path: string): Store {
  const file = resolve(path);
  const [turn, updating] = [inTurn(), inTurn()];
  const load = async () => parseSession(await readFile(file, "utf8").catch(orNull));
  return {
    load,
    update: (change) =>
      updating(() =>
        among(
          `${file}.node-update`,
          async () => {
            const current = await load();
            const next = change(current);
            if (next === null && current !== null) await rm(file, { force: true });
            else if (next !== null && next !== current) await replace(file, next);
          },
          AbortSignal.timeout(longestUpdate),
        ),
      ),
    lock: (work, signal) => turn(() => among(`${file}.node-turn`, work, signal), signal),
  };
}

// Replaces the whole file, so that readers find the old or the new session, even after a crash of the machine.
async function replace(file: string, session: Session): Promise<void> {
  const fresh = `${file}.${process.pid}.${crypto.randomUUID()}`;
  await mkdir(dirname(file), { recursive: true });
  try {
    const opened = await open(fresh, "wx", 0o600);
    try {
      await opened.writeFile(JSON.stringify(session));
      await opened.sync();
    } finally {
      await opened.close();
    }
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

function orNull(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
