// The Rust package: its build script makes the code from the contract, so that nothing but cargo is needed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageFile } from "./files.mjs";

export function buildRust(contract, folder, config) {
  writeFileSync(join(folder, "aisle.binpb"), contract.image);
  writeFileSync(join(folder, "service-config.json"), config);
  writeFileSync(join(folder, "src/contract.rs"), contractModule(contract));
}

const snake = (name) => name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
const type = (message) => message.typeName.replace(/^aisle\.v1\./, "v1::");

function contractModule({ services, retry }) {
  const client = ({ name }) => `v1::${snake(name)}_client::${name}Client`;
  const methods = services.flatMap((service) => service.methods);
  const paged = services.flatMap((service) => service.methods.filter(({ page }) => page).map(pageTraits(service)));
  const watched = services.flatMap((service) => service.methods.filter(isWatch).map(watchTrait(service)));
  return packageFile(`use std::time::Duration;

use crate::calls::Calls;
use crate::pages::{Page, Paged};
use crate::v1;
use crate::watch::Watched;
use crate::Answer;

/// The server's limit of an answer in bytes; tonic's own is 4 MiB.
const LONGEST_ANSWER: usize = 16 << 20;

/// A client of each service. A clone shares the connection.
#[derive(Clone, Debug)]
pub struct Clients {
${services.map((service) => `    pub ${snake(service.plural)}: ${client(service)}<Calls>,\n`).join("")}}

impl Clients {
    pub(crate) fn new(calls: Calls) -> Self {
        Self {
${services.map((service) => `            ${snake(service.plural)}: ${client(service)}::new(calls.clone()).max_decoding_message_size(LONGEST_ANSWER),\n`).join("")}        }
    }
}

/// What service-config.json says of retries.
pub(crate) struct Retry {
    pub max_attempts: u32,
    pub initial_backoff: Duration,
    pub max_backoff: Duration,
    pub backoff_multiplier: u32,
}

pub(crate) const RETRY: Retry = Retry {
    max_attempts: ${retry.maxAttempts},
    initial_backoff: Duration::from_millis(${retry.initialBackoffMs}),
    max_backoff: Duration::from_millis(${retry.maxBackoffMs}),
    backoff_multiplier: ${retry.backoffMultiplier},
};

/// A unary method.
pub(crate) struct Method {
    pub path: &'static str,
    /// A repetition does nothing twice.
    pub repeatable: bool,
    /// Its answer waits for other work, or for the time that the request names.
    pub waits: bool,
    /// The request's field that makes a repetition safe.
    pub key: Option<u32>,
}

pub(crate) const METHODS: &[Method] = &[
${methods
  .filter(({ kind }) => kind === "unary")
  .map(({ path, repeatable, waits, key }) => {
    const field = key ? `Some(${key.number})` : "None";
    return `    Method { path: "${path}", repeatable: ${repeatable}, waits: ${waits}, key: ${field} },\n`;
  })
  .join("")}];

${[...paged, ...watched].join("\n")}`);
}

/** A stream that its caller opens again after the last message. */
const isWatch = ({ name, input, output }) =>
  name.startsWith("Watch") &&
  [input, output].every(({ fields }) => fields.some((field) => field.name === "resume_token"));

const watchTrait =
  (service) =>
  ({ name, input, output }) =>
    `impl Watched for ${type(input)} {
    type Message = ${type(output)};
    fn resume_token(&mut self) -> &mut String {
        &mut self.resume_token
    }
    fn token_of(message: &Self::Message) -> &str {
        &message.resume_token
    }
    fn open(self, clients: &Clients) -> Answer<tonic::Streaming<Self::Message>> {
        let mut client = clients.${snake(service.plural)}.clone();
        Box::pin(async move { client.${snake(name)}(self).await })
    }
}
`;

const pageTraits =
  (service) =>
  ({ name, input, output, page }) =>
    `impl Paged for ${type(input)} {
    type Item = ${type(page.message)};
    type Page = ${type(output)};
    fn page_token(&mut self) -> &mut String {
        &mut self.page_token
    }
    fn list(self, clients: &Clients) -> Answer<Self::Page> {
        let mut client = clients.${snake(service.plural)}.clone();
        Box::pin(async move { client.${snake(name)}(self).await })
    }
}

impl Page for ${type(output)} {
    type Item = ${type(page.message)};
    fn into_parts(self) -> (Vec<Self::Item>, String) {
        (self.${page.name}, self.next_page_token)
    }
}
`;
