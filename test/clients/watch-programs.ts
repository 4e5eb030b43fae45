import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { page } from "./page.js";

/** The app that the programs watch. */
export const WATCHED = "watched";

/** The lines of the page that watch events, made a whole program. It takes the place of the language's other program. */
const PROGRAMS: Readonly<Record<string, { readonly file: string; readonly tag: string; readonly text: string }>> = {
  TypeScript: {
    file: "shop.ts",
    tag: "ts",
    text: `import { connect, watch } from "aisle-client";
const aisle = connect();
const appId = "${WATCHED}";
LINES
`,
  },
  Go: {
    file: "main.go",
    tag: "go",
    text: `package main

import (
	"context"
	"fmt"
	"log"

	aisle "aisle.example/client"
	"aisle.example/client/aislev1"
)

func main() {
	ctx := context.Background()
	client := must(aisle.Connect(aisle.Options{}))
	appID := "${WATCHED}"
LINES
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
`,
  },
  Python: {
    file: "shop.py",
    tag: "python",
    text: `import contextlib
import aisle
from aisle import v1
client = aisle.connect()
app_id = "${WATCHED}"
LINES
`,
  },
  Java: {
    file: "src/main/java/Shop.java",
    tag: "java",
    text: `import aisle.Aisle;
import aisle.Watch;
import aisle.v1.*;

public final class Shop {
  public static void main(String[] args) throws Exception {
    String appId = "${WATCHED}";
    try (var aisle = Aisle.connect()) {
LINES
    }
  }
}
`,
  },
  Rust: {
    file: "src/main.rs",
    tag: "rust",
    text: `use aisle::tokio_stream::StreamExt;
use aisle::v1::*;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let aisle = aisle::connect(aisle::Options::from_env()?)?;
    let app_id = "${WATCHED}".to_string();
LINES
    Ok(())
}
`,
  },
};

/** Saves the program of a language that prints three events and ends. */
export function saveWatchProgram(language: string, folder: string): void {
  const program = PROGRAMS[language];
  if (program === undefined) throw new Error(`no program in ${language} watches events`);
  const section = page.slice(page.indexOf("\n## Lists and streams\n"));
  const lines = new RegExp(`^\`\`\`${program.tag}\n([\\s\\S]*?)^\`\`\`$`, "m").exec(section)?.[1];
  if (lines === undefined) throw new Error(`docs/clients.md does not say how a program in ${language} watches events`);
  writeFileSync(
    join(folder, program.file),
    program.text.replace("LINES", () => lines),
  );
}
