import { ApiError, type Change, NetworkError, SessionEndedError, UnknownOutcomeError } from "./errors.js";
import type { Keeper } from "./keeper.js";
import { passes, type Patience } from "./patience.js";
import type { Reach } from "./reach.js";
import type { Session } from "./session.js";
import { type Answer, NoAnswer, type Request, type Transport } from "./transport.js";

/** How to send a request. An open request (open: true) needs no session. */
export interface Way {
  signal: AbortSignal | undefined;
  open?: true;
  /** The id of the player who must make the call; absent: the session's player. */
  player?: string;
  timeoutMs?: number;
}

// The state of a call.
interface Course {
  session?: Session;
  inDoubt?: true; // the service may have applied an attempt
}

/** How to read the answer to a change, and how to look up whether it was made. */
export interface Steps<T> {
  done(answer: Answer): Promise<T>;
  /** Gets the last error, and the id of the player who made the change. Returns null if the change is not there. */
  look(last: unknown, player: string): Promise<T | null>;
  /** Whether look can do without a session, and gets a SessionEndedError, too. */
  looksWithoutSession?: true;
}

/** Makes calls and repeats them. Calls that are not open get the session's token. */
export class Caller {
  constructor(
    private readonly transport: Transport,
    private readonly patience: Patience,
    private readonly keeper: Keeper,
    private readonly reach: Reach,
    private readonly timeoutMs: number,
  ) {}

  /** Makes a change. If the outcome is in doubt, it looks up whether the change was made. */
  async change<T>(operation: Change, request: Request, way: Way, steps: Steps<T>): Promise<T> {
    const course: Course = {};
    let last: unknown;
    try {
      return await steps.done(await this.send(request, way, course));
    } catch (error) {
      if (!course.inDoubt && !isUnread(error)) throw error;
      last = error;
    }
    if (way.signal?.aborted) throw new UnknownOutcomeError(operation, way.signal.reason);
    if (last instanceof SessionEndedError && !steps.looksWithoutSession) throw new UnknownOutcomeError(operation, last);
    let found: T | null;
    try {
      found = await steps.look(last, course.session?.userId ?? "");
    } catch (error) {
      throw new UnknownOutcomeError(operation, error);
    }
    if (found !== null) return found;
    throw isRule(last) ? last : new UnknownOutcomeError(operation, last);
  }

  /** Sends a request until an answer is final or no attempt is left. */
  async send(request: Request, way: Way, course: Course = {}): Promise<Answer> {
    try {
      return await this.sendPatiently(request, way, course);
    } catch (error) {
      if (error instanceof NetworkError) this.reach.note(false);
      throw error;
    }
  }

  private async sendPatiently(request: Request, way: Way, course: Course): Promise<Answer> {
    let refused: string | undefined;
    for (let attempt = 1; ; attempt++) {
      if (!way.open) course.session = await this.keeper.current(way.signal, course.session?.userId ?? way.player, refused);
      way.signal?.throwIfAborted(); // a request that is aborted after this line is in doubt
      const outcome = await this.attempt(request, way, course);
      if (!(outcome instanceof NetworkError)) {
        if (outcome.status === 401 && course.session && refused === undefined) {
          refused = course.session.token;
          attempt--;
          continue;
        }
        if (!passes(outcome)) return outcome;
      }
      if (attempt >= this.patience.attempts) {
        if (outcome instanceof NetworkError) throw outcome;
        return outcome;
      }
      await this.patience.pause(attempt, outcome instanceof NetworkError ? null : outcome, way.signal);
    }
  }

  private async attempt(request: Request, way: Way, course: Course): Promise<Answer | NetworkError> {
    const timeoutMs = way.timeoutMs ?? this.timeoutMs;
    try {
      const answer = await this.transport.exchange(request, course.session?.token ?? null, timeoutMs, way.signal);
      if (answer.status >= 500) course.inDoubt = true;
      this.reach.note(true);
      return answer;
    } catch (error) {
      if (!(error instanceof NoAnswer)) {
        course.inDoubt = true; // the caller aborted during the attempt
        throw error;
      }
      if (error.sent) course.inDoubt = true;
      return new NetworkError(error.cause);
    }
  }
}

/** Whether the service refused the request by its rules. Such a request changed nothing. */
export function isRule(error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || error.code === "UNEXPECTED") return false;
  return error.status >= 400 && error.status < 500 && error.status !== 429;
}

// Whether the answer was a success that the client could not read.
function isUnread(error: unknown): boolean {
  return error instanceof ApiError && error.code === "UNEXPECTED" && error.status >= 200 && error.status < 300;
}
