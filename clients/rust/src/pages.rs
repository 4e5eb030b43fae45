use tokio_stream::Stream;
use tonic::Status;

use crate::contract::Clients;
use crate::{Answer, Boxed};

/// A request of a list with pages.
pub trait Paged: Clone + Send + 'static {
    /// What the list holds.
    type Item: Send + 'static;
    /// An answer of the list.
    type Page: Page<Item = Self::Item> + Send;
    /// The token of the page that the request asks for.
    fn page_token(&mut self) -> &mut String;
    /// Makes the call.
    fn list(self, clients: &Clients) -> Answer<Self::Page>;
}

/// An answer of a list with pages.
pub trait Page {
    /// What the list holds.
    type Item;
    /// The items, and the token of the next page.
    fn into_parts(self) -> (Vec<Self::Item>, String);
}

/// The items of a list, page by page as they are consumed.
pub fn pages<R: Paged>(clients: &Clients, mut request: R) -> Boxed<dyn Stream<Item = Result<R::Item, Status>> + Send> {
    let clients = clients.clone();
    Box::pin(async_stream::try_stream! {
        loop {
            let page = request.clone().list(&clients).await?.into_inner();
            let (items, next) = page.into_parts();
            for item in items {
                yield item;
            }
            // Some lists give a token at their end too, for what comes later: the one that was sent.
            if next.is_empty() || next == *request.page_token() {
                return;
            }
            *request.page_token() = next;
        }
    })
}
