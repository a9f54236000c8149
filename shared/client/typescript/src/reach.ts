import type { SessionEvent } from "./session.js";

/** Notes whether the service can be reached, and reports each change. */
export class Reach {
  private reachable = true;

  constructor(private readonly tell: (event: SessionEvent) => void) {}

  /** Notes that an answer came, or that a call ended without an answer. */
  note(reachable: boolean): void {
    if (this.reachable === reachable) return;
    this.reachable = reachable;
    this.tell({ kind: reachable ? "reachable" : "unreachable" });
  }
}
