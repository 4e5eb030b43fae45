// The Go package: messages and clients in aislev1, by the generators that Go fetches.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bin, Failure, filesBelow, root, run } from "../lib.mjs";
import { KEY_FIELDS, WAIT_FIELD } from "./contract.mjs";
import { packageFile } from "./files.mjs";

const MODULE = "aisle.example/client";
const GENERATORS = [
  "google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12",
  "google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.0",
];

export async function buildGo(contract, folder, config) {
  writeFileSync(join(folder, "service-config.json"), config);
  writeFileSync(join(folder, "services.go"), services(contract));
  writeFileSync(join(folder, "contract.go"), constants(contract));
  // All files make one package, whatever their go_package says.
  const places = contract.files.map(({ proto }) => `M${proto.name}=${MODULE}/aislev1;aislev1`);
  const out = join(folder, "aislev1");
  mkdirSync(out, { recursive: true });
  const opt = [`module=${MODULE}`, ...places];
  const template = {
    version: "v2",
    inputs: [{ directory: join(root, "proto"), paths: [join(root, "proto/aisle")] }],
    plugins: GENERATORS.map((generator) => ({ local: ["go", "run", generator], out: folder, opt })),
  };
  const { code, output } = await run(bin("buf"), ["generate", "--template", JSON.stringify(template)], { quiet: true });
  if (code !== 0) throw new Failure(`the Go code was not generated\n${output.trimEnd()}`);
  if (contract.goModule) rename(folder, contract.goModule);
  const formatted = await run("gofmt", ["-w", "contract.go", "services.go"], { cwd: folder, quiet: true });
  if (formatted.code !== 0) throw new Failure(`gofmt failed\n${formatted.output.trimEnd()}`);
}

/** Gives the module a path of the caller's. */
function rename(folder, path) {
  for (const file of filesBelow(folder).filter((name) => /\.(go|mod|md)$/.test(name))) {
    const text = readFileSync(join(folder, file), "utf8");
    writeFileSync(join(folder, file), text.replaceAll(MODULE, path));
  }
}

function services({ services }) {
  return packageFile(`package aisle

import (
	"google.golang.org/grpc"

	"${MODULE}/aislev1"
)

type services struct {
${services.map(({ plural, name }) => `	${plural} aislev1.${name}Client\n`).join("")}}

func servicesOver(conn grpc.ClientConnInterface) services {
	return services{
${services.map(({ plural, name }) => `		${plural}: aislev1.New${name}Client(conn),\n`).join("")}	}
}
`);
}

function constants({ retry, reasons }) {
  const name = (reason) =>
    `Reason${reason
      .split("_")
      .map((word) => word[0] + word.slice(1).toLowerCase())
      .join("")}`;
  const known = (reasons ?? []).map((reason) => `	${name(reason)} Reason = "${reason}"\n`).join("");
  return packageFile(`package aisle

import "time"

const (
	maxAttempts = ${retry.maxAttempts}
	initialBackoff = ${retry.initialBackoffMs} * time.Millisecond
	maxBackoff = ${retry.maxBackoffMs} * time.Millisecond
	backoffMultiplier = ${retry.backoffMultiplier}
)

// Fields of requests that make a repetition safe.
var keyFields = []string{${KEY_FIELDS.map((field) => JSON.stringify(field)).join(", ")}}

// The field of requests that are answered when other work has ended, or after the time it names.
const waitField = ${JSON.stringify(WAIT_FIELD)}

// Reason tells why Aisle refused a call.
type Reason string

${known && `// Every reason of an ErrorInfo.\nconst (\n${known})\n`}`);
}
