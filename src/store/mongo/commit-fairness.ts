import { setTimeout as pause } from "node:timers/promises";
import type { ReportFailure } from "../../adapters/report-failure.js";
import type { Commits } from "./commits.js";

/** This server requests a turn after losing to this many commits of other servers. */
const PATIENT_COMMITS = 3;

/** After this many commits, check whether another server has requested a turn. */
const ROOM_EVERY = 4;

/** For how long the next commit is left to a server that has asked for it, and how often it is looked whether it was made. */
const TURN_MS = 250;
const LOOK_MS = 16;

/**
 * Servers that commit to one app at once usually alternate: while one applies its commit, another begins the next. A
 * server with a slower connection to the database may lose repeatedly; it then requests a turn.
 */
export class CommitFairness {
  private overtaken = 0;
  private hasAsked = false;

  constructor(
    private readonly appId: string,
    private readonly commits: Commits,
    private readonly server: string,
    private readonly reportFailure: ReportFailure,
  ) {}

  /** Another server's commit came first. */
  async comeAfter(): Promise<void> {
    if (++this.overtaken % PATIENT_COMMITS !== 0) return;
    this.hasAsked = true;
    await this.commits.requestTurn(this.appId, this.server);
  }

  /** This server has made its commit, or has none to make. */
  async had(): Promise<void> {
    this.overtaken = 0;
    if (!this.hasAsked) return;
    this.hasAsked = false;
    await this.commits.withdrawRequest(this.appId, this.server);
  }

  /** After this server's commit `rev`: waits until a server that has asked has had its turn. One that does not take it loses it. */
  async leaveRoom(rev: number): Promise<void> {
    if (rev % ROOM_EVERY !== 0) return;
    const { commits, appId } = this;
    try {
      const other = await commits.requestedBy(appId);
      if (other === undefined || other === this.server) return;
      for (let ms = 0; ms < TURN_MS; ms += LOOK_MS) {
        await pause(LOOK_MS);
        if ((await commits.requestedBy(appId)) !== other) return;
      }
      await commits.withdrawRequest(appId, other);
    } catch (error) {
      this.reportFailure("store_commit", error); // the turn is not left to the other server
    }
  }
}
