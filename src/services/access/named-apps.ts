import type { DescMessage, DescMethod } from "@bufbuild/protobuf";
import { AppService } from "../../gen/aisle/v1/app_service_pb.js";
import { SubscriptionService } from "../../gen/aisle/v1/subscription_service_pb.js";

type Reader = (message: object) => readonly string[] | "all";

const readers = new WeakMap<DescMethod, Reader>();

/**
 * The apps that a request names: "" where it could name one and does not, none for a method without apps. "all" for our
 * own requests that name no app but concern all.
 */
export function namedAppsOf(method: DescMethod, message: object): readonly string[] | "all" {
  let read = readers.get(method);
  if (read === undefined) {
    read = readerOf(method);
    readers.set(method, read);
  }
  return read(message);
}

function readerOf(method: DescMethod): Reader {
  // The answer lists only the token's apps (app-service.ts).
  if (method === AppService.method.listApps) return () => [];
  // The token of a link begins with its app (identity/links/link-token.ts); an invalid link gets NOT_FOUND.
  if (method === SubscriptionService.method.getLink || method === SubscriptionService.method.followLink)
    return (message) => {
      const [, app] = /^([A-Za-z0-9_-]{1,64})\./.exec(textOf(message, "token")) ?? [];
      return app === undefined ? [] : [app];
    };
  if (!method.parent.typeName.startsWith("aisle.")) return () => [];
  const paths = pathsOf(method.input);
  if (paths.length === 0) return () => "all";
  return (message) => paths.flatMap((path) => path(message));
}

/** `app_id` of the request itself, and of each message in it that has one, such as `app.app_id` and `request.app_id`. */
function pathsOf(input: DescMessage): ((message: object) => readonly string[])[] {
  const own = appField(input);
  const paths: ((message: object) => readonly string[])[] = [];
  if (own !== undefined) paths.push((message) => [textOf(message, own)]);
  for (const field of input.fields) {
    const inner = field.message === undefined ? undefined : appField(field.message);
    if (inner === undefined) continue;
    paths.push((message) => {
      const value = fieldOf(message, field.localName);
      const all: unknown[] = Array.isArray(value) ? value : [value];
      const named = all.map((one) => (typeof one === "object" && one !== null ? textOf(one, inner) : ""));
      // A part of a request that names an app may omit it.
      return own === undefined ? named : named.filter((app) => app !== "");
    });
  }
  return paths;
}

function appField(message: DescMessage): string | undefined {
  return message.fields.find((field) => field.name === "app_id" && field.fieldKind === "scalar")?.localName;
}

function textOf(message: object, name: string): string {
  const value = fieldOf(message, name);
  return typeof value === "string" ? value : "";
}

function fieldOf(message: object, name: string): unknown {
  return Reflect.get(message, name);
}
