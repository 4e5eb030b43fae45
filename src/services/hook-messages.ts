import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HookEntry } from "../domain/mailing.js";
import type { HookMessageSchema } from "../gen/aisle/v1/hook_service_pb.js";
import { timestampOf } from "./messages.js";
import { channelOf } from "./subscription-messages.js";

export function hookMessage(entry: HookEntry): MessageInitShape<typeof HookMessageSchema> {
  const { kind, channel, createdAt, nextAt: _, changeId: __, ...one } = entry;
  return { ...one, type: kind, channel: channelOf(channel), createdAt: timestampOf(createdAt) };
}
