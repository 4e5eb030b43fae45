/**
 * A process that attacks, so that the attack shares no thread with what is measured. It prints a line when it begins, and
 * stops when its input ends.
 *
 *   node --import tsx test/hostile/attacker.ts '{"attack":"rapid reset","target":{…}}'
 */

import type { Target } from "./attack.js";
import { FLOODS } from "./floods.js";
import { HTTP_ATTACKS } from "./http-attacks.js";
import { RPC_ATTACKS } from "./rpc-attacks.js";

export interface Order {
  readonly attack: string;
  readonly target: Target;
}

const order: Order = JSON.parse(process.argv[2] ?? "");
const attack = [...FLOODS, ...HTTP_ATTACKS, ...RPC_ATTACKS].find(({ name }) => name === order.attack);
if (attack === undefined) throw new Error(`there is no attack "${order.attack}"`);
const end = new AbortController();
process.stdin.resume().once("end", () => end.abort());
process.stdout.write("attacking\n");
await attack.run(order.target, end.signal);
