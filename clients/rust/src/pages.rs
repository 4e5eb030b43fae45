use std::future::Future;

use tokio_stream::Stream;
use tonic::{Response, Status};

/// A request of a list with pages.
pub trait Paged: Clone {
    /// The token of the page that the request asks for.
    fn page_token(&mut self) -> &mut String;
}

/// An answer of a list with pages.
pub trait Page {
    /// What the list holds.
    type Item;
    /// The items, and the token of the next page.
    fn into_parts(self) -> (Vec<Self::Item>, String);
}

/// The items of a list, page by page as they are consumed. `list` makes the call.
pub fn pages<R, P, L, F>(mut request: R, mut list: L) -> impl Stream<Item = Result<P::Item, Status>>
where
    R: Paged,
    P: Page,
    L: FnMut(R) -> F,
    F: Future<Output = Result<Response<P>, Status>>,
{
    async_stream::try_stream! {
        loop {
            let (items, next) = list(request.clone()).await?.into_inner().into_parts();
            for item in items {
                yield item;
            }
            // Some lists give a token at their end too, for what comes later: the one that was sent.
            if next.is_empty() || next == *request.page_token() {
                return;
            }
            *request.page_token() = next;
        }
    }
}
