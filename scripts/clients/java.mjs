// The Java package: Maven generates its messages and clients from the contract, which the package contains.
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../lib.mjs";
import { KEY_FIELDS, serviceConfig, WAIT_FIELD } from "./contract.mjs";
import { packageFile } from "./files.mjs";

export function buildJava(contract, folder, config) {
  const source = join(folder, "src/main/java/aisle");
  const resources = join(folder, "src/main/resources/aisle");
  cpSync(join(root, "proto/aisle"), join(folder, "src/main/proto/aisle"), { recursive: true });
  mkdirSync(resources, { recursive: true });
  writeFileSync(join(resources, "service-config.json"), config);
  writeFileSync(join(source, "Services.java"), services(contract));
  writeFileSync(join(source, "Contract.java"), constants(contract));
  writeFileSync(join(source, "ServiceConfig.java"), serviceConfigClass(contract));
  writeFileSync(join(source, "Reason.java"), reasons(contract));
}

const property = ({ plural }) => plural[0].toLowerCase() + plural.slice(1);

function services({ services }) {
  const stub = ({ name }) => `aisle.v1.${name}Grpc.${name}BlockingStub`;
  return packageFile(`package aisle;

import io.grpc.Channel;

/** A blocking client of each service. */
public abstract class Services {
  private final Channel channel;

  Services(Channel channel) {
    this.channel = channel;
  }

  /** The connection, with the token, deadline and keys that this package adds. */
  public Channel channel() {
    return channel;
  }
${services
  .map(
    (service) => `
  public ${stub(service)} ${property(service)}() {
    return aisle.v1.${service.name}Grpc.newBlockingStub(channel);
  }
`,
  )
  .join("")}}
`);
}

function constants({ retry }) {
  return packageFile(`package aisle;

import java.util.List;

/** What calls and retries go by. */
final class Contract {
  /** Fields of requests that make a repetition safe. */
  static final List<String> KEY_FIELDS = List.of(${KEY_FIELDS.map((name) => JSON.stringify(name)).join(", ")});

  /** The field of requests that are answered when other work has ended, or after the time it names. */
  static final String WAIT_FIELD = ${JSON.stringify(WAIT_FIELD)};

  static final int MAX_ATTEMPTS = ${retry.maxAttempts};
  static final long INITIAL_BACKOFF_MILLIS = ${retry.initialBackoffMs};
  static final long MAX_BACKOFF_MILLIS = ${retry.maxBackoffMs};
  static final double BACKOFF_MULTIPLIER = ${retry.backoffMultiplier};

  private Contract() {}
}
`);
}

function serviceConfigClass(contract) {
  return packageFile(`package aisle;

import java.util.List;
import java.util.Map;

/** The gRPC service config of a connection, as service-config.json has it. */
final class ServiceConfig {
  static final Map<String, ?> MAP = ${literal(serviceConfig(contract), "      ")};

  private ServiceConfig() {}
}
`);
}

/** A JSON value in Java; numbers are doubles, as gRPC wants them. */
function literal(value, indent) {
  if (typeof value === "number") return `${value}d`;
  if (typeof value === "string") return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value))
    return `List.of(\n${inner}${value.map((each) => literal(each, inner)).join(`,\n${inner}`)})`;
  const entries = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}, ${literal(each, inner)}`);
  return `Map.of(${entries.join(", ")})`;
}

function reasons({ reasons }) {
  const lines = (reasons ?? []).map((reason) => `  public static final String ${reason} = "${reason}";\n`);
  return packageFile(`package aisle;

/** Every reason of an ErrorInfo. */
public final class Reason {
${lines.join("")}
  private Reason() {}
}
`);
}
