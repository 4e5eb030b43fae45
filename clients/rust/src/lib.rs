//! Client of Aisle. [`connect`] gives clients of all services, with a deadline and retries for each call.
mod calls;
mod contract;
mod errors;
mod pages;
mod products;
mod record_all;
mod wait;
mod watch;

/// Messages and clients of the contract.
#[allow(rustdoc::invalid_html_tags, rustdoc::broken_intra_doc_links, clippy::all)]
pub mod v1 {
    tonic::include_proto!("aisle.v1");
}

pub use calls::{connect, Calls, ConnectError, Options};
pub use contract::Clients;
pub use errors::{fields, reason, retry_delay, FieldViolation};
pub use pages::{pages, Page, Paged};
pub use products::products;
pub use record_all::{record_all, record_all_with_keys, RecordedTotals};
pub use wait::wait;
pub use watch::{watch, Watched};
pub use {tokio_stream, tonic};

/// A stream or a future on the heap: it can be used without pinning it.
pub type Boxed<T> = std::pin::Pin<Box<T>>;

/// The answer of a call, to be awaited.
pub type Answer<T> = Boxed<dyn std::future::Future<Output = Result<tonic::Response<T>, tonic::Status>> + Send>;
