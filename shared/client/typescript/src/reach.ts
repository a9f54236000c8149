import type { SessionEvent } from "./session.js";

/** Knows whether the service can be reached, and reports each change of that. */
export class Reach {
  private reachable = true;

  constructor(private readonly tell: (event: SessionEvent) => void) {}

  /** Notes an answer, or a call that ended without one. */
  note(reachable: boolean): void {
    if (this.reachable === reachable) return;
    this.reachable = reachable;
    this.tell({ kind: reachable ? "reachable" : "unreachable" });
  }
}
