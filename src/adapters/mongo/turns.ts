import { setTimeout as pause } from "node:timers/promises";
import type { Commits } from "./commits.js";

/** Commits of other servers that come before this one's before it asks for its turn. */
const PATIENT_COMMITS = 3;

/** Each time so many commits are made it is looked whether another server has asked. */
const ROOM_EVERY = 4;

/** For how long the next commit is left to a server that has asked for it, and how often it is looked whether it was made. */
const TURN_MS = 250;
const LOOK_MS = 16;

/**
 * Servers that commit to one app at once come first by turns by themselves: while one applies its commit another one
 * begins the next. A server that is further from the database than others asks for its turn when it comes late again and again.
 */
export class Turns {
  private overtaken = 0;
  private hasAsked = false;

  constructor(
    private readonly appId: string,
    private readonly commits: Commits,
    private readonly server: string,
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
    } catch {
      // then it is not left
    }
  }
}
