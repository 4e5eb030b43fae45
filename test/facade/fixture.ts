import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { FastifyInstance } from "fastify";
import { onTestFinished } from "vitest";
import { createFacade, type FacadeOptions } from "../../src/facade/facade.js";
import { AppSchema } from "../../src/gen/aisle/v1/app_pb.js";
import { GetAppResponseSchema } from "../../src/gen/aisle/v1/app_service_pb.js";
import { RecordEventResponseSchema } from "../../src/gen/aisle/v1/event_service_pb.js";
import {
  RecommendPageResponseSchema,
  RecommendResponseSchema,
} from "../../src/gen/aisle/v1/recommendation_service_pb.js";
import {
  FollowLinkResponseSchema,
  GetLinkResponseSchema,
  GetStatusResponseSchema,
} from "../../src/gen/aisle/v1/subscription_service_pb.js";

export const EVENT_ID = "01980000-0000-7000-8000-000000000001";

/** What the scripted services answer: a message, or the error to fail with. */
export interface Script {
  recordEvent?: MessageInitShape<typeof RecordEventResponseSchema> | Error;
  getStatus?: MessageInitShape<typeof GetStatusResponseSchema> | Error;
  getLink?: MessageInitShape<typeof GetLinkResponseSchema> | Error;
  followLink?: MessageInitShape<typeof FollowLinkResponseSchema> | Error;
  recommend?: MessageInitShape<typeof RecommendResponseSchema> | Error;
  allowedOrigins?: string[];
}

export interface Call {
  readonly name: string;
  readonly request: unknown;
  readonly timeoutMs: number | undefined;
}

/** A facade over services that answer by script, and the calls it made. */
export function openFacade(script: Script = {}, options: Partial<FacadeOptions> = {}) {
  const calls: Call[] = [];
  const answer = <T>(name: string, request: unknown, timeoutMs: number | undefined, value: T | Error): T => {
    calls.push({ name, request, timeoutMs });
    if (value instanceof Error) throw value;
    return value;
  };
  let requests = 0;
  const facade: FastifyInstance = createFacade({
    clients: {
      events: {
        recordEvent: async (request, call) =>
          create(
            RecordEventResponseSchema,
            answer("recordEvent", request, call?.timeoutMs, script.recordEvent ?? { eventId: EVENT_ID }),
          ),
      },
      subscriptions: {
        getStatus: async (request, call) =>
          create(GetStatusResponseSchema, answer("getStatus", request, call?.timeoutMs, script.getStatus ?? {})),
        getLink: async (request, call) =>
          create(GetLinkResponseSchema, answer("getLink", request, call?.timeoutMs, script.getLink ?? {})),
        followLink: async (request, call) =>
          create(FollowLinkResponseSchema, answer("followLink", request, call?.timeoutMs, script.followLink ?? {})),
      },
      recommendations: {
        recommend: async (request, call) =>
          create(
            RecommendResponseSchema,
            answer("recommend", request, call?.timeoutMs, script.recommend ?? { version: "2026030110" }),
          ),
        recommendPage: async (request, call) =>
          create(RecommendPageResponseSchema, answer("recommendPage", request, call?.timeoutMs, {})),
      },
      apps: {
        getApp: async (request, call) => {
          const app = create(AppSchema, { allowedOrigins: script.allowedOrigins ?? [] });
          return create(GetAppResponseSchema, answer("getApp", request, call?.timeoutMs, { app }));
        },
      },
    },
    now: () => 0,
    newRequestId: () => `request-${++requests}`,
    ready: async () => {},
    isStopping: () => false,
    ...options,
  });
  onTestFinished(() => facade.close());
  return { facade, calls };
}

export const FORM = { "content-type": "application/x-www-form-urlencoded" };
