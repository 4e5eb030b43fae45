import { type DescFile, type DescService, toBinary } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

/** Finds descriptors for server reflection. An answer with files also has every file that these import. */
export interface ReflectionIndex {
  /** Full names of the services, sorted. */
  readonly services: readonly string[];
  file(name: string): Uint8Array[] | undefined;
  /** By full name: a service, method, message, field, oneof, enum, enum value or extension. */
  symbol(name: string): Uint8Array[] | undefined;
  extension(extendee: string, number: number): Uint8Array[] | undefined;
  /** Extension numbers of a message, ascending; undefined for an unknown message. */
  extensionNumbers(extendee: string): number[] | undefined;
}

/** Indexes `services`, `files` and all that they import. Cost: one walk over the descriptors. */
export function createReflectionIndex(
  services: readonly DescService[],
  files: readonly DescFile[] = [],
): ReflectionIndex {
  const byName = new Map<string, DescFile>();
  const symbols = new Map<string, DescFile>();
  const messages = new Set<string>();
  const extensions = new Map<string, Map<number, DescFile>>();
  const encoded = new Map<DescFile, Uint8Array>();

  for (const file of withImports([...services.map((service) => service.file), ...files])) {
    byName.set(file.proto.name, file);
    for (const type of nestedTypes(file)) {
      for (const name of namesIn(type)) symbols.set(name, file);
      if (type.kind === "message") messages.add(type.typeName);
      if (type.kind !== "extension") continue;
      const numbers = extensions.get(type.extendee.typeName) ?? new Map<number, DescFile>();
      extensions.set(type.extendee.typeName, numbers.set(type.number, file));
    }
  }

  const bytes = (file: DescFile) => {
    const known = encoded.get(file) ?? toBinary(FileDescriptorProtoSchema, file.proto);
    encoded.set(file, known);
    return known;
  };
  const answer = (file: DescFile | undefined) => file && [...withImports([file])].map(bytes);
  return {
    services: [...new Set(services.map((service) => service.typeName))].sort(),
    file: (name) => answer(byName.get(name)),
    symbol: (name) => answer(symbols.get(name)),
    extension: (extendee, number) => answer(extensions.get(extendee)?.get(number)),
    extensionNumbers: (extendee) =>
      messages.has(extendee) ? [...(extensions.get(extendee)?.keys() ?? [])].sort((a, b) => a - b) : undefined,
  };
}

/** The files, each followed by what it imports, none twice. */
function withImports(files: readonly DescFile[]): Set<DescFile> {
  const found = new Set<DescFile>();
  const add = (file: DescFile) => {
    if (found.has(file)) return;
    found.add(file);
    for (const dependency of file.dependencies) add(dependency);
  };
  for (const file of files) add(file);
  return found;
}

type Declared = ReturnType<typeof nestedTypes> extends Iterable<infer T> ? T : never;

function* namesIn(type: Declared): Generator<string> {
  yield type.typeName;
  switch (type.kind) {
    case "service":
      for (const method of type.methods) yield `${type.typeName}.${method.name}`;
      break;
    case "message":
      for (const field of type.fields) yield `${type.typeName}.${field.name}`;
      for (const oneof of type.oneofs) yield `${type.typeName}.${oneof.name}`;
      break;
    case "enum": {
      // As in C++, values are siblings of their enum, not children.
      const scope = type.typeName.slice(0, type.typeName.lastIndexOf(".") + 1);
      for (const value of type.values) yield `${scope}${value.name}`;
      break;
    }
  }
}
