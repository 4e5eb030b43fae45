use std::time::Duration;

use tokio_stream::{Stream, StreamExt};
use tonic::{Code, Status, Streaming};

use crate::calls::backoff;
use crate::contract::Clients;
use crate::{Answer, Boxed};

/// The longest pause between two connections.
const LONGEST: Duration = Duration::from_secs(10);

/// A request of a stream that can be resumed after each message.
pub trait Watched: Clone + Send + 'static {
    /// What the stream sends.
    type Message: Send + 'static;
    /// The token of the message after which the stream begins.
    fn resume_token(&mut self) -> &mut String;
    /// The token of a message.
    fn token_of(message: &Self::Message) -> &str;
    /// Makes the call.
    fn open(self, clients: &Clients) -> Answer<Streaming<Self::Message>>;
}

/// The messages of a stream that is opened again when the server goes away, after the last message received.
///
/// It ends only with an error that is no lost connection. Drop it to end the call.
pub fn watch<R: Watched>(
    clients: &Clients,
    mut request: R,
) -> Boxed<dyn Stream<Item = Result<R::Message, Status>> + Send> {
    let clients = clients.clone();
    Box::pin(async_stream::try_stream! {
        let mut attempt = 1;
        loop {
            match request.clone().open(&clients).await {
                Ok(response) => {
                    let mut messages = response.into_inner();
                    while let Some(message) = messages.next().await {
                        match message {
                            Ok(message) => {
                                let next = R::token_of(&message);
                                if !next.is_empty() {
                                    *request.resume_token() = next.into();
                                }
                                attempt = 1;
                                yield message;
                            }
                            Err(status) if status.code() == Code::Unavailable => break,
                            Err(status) => Err(status)?,
                        }
                    }
                }
                Err(status) if status.code() == Code::Unavailable => {}
                Err(status) => Err(status)?,
            }
            tokio::time::sleep(backoff(attempt, LONGEST)).await;
            attempt = (attempt + 1).min(10);
        }
    })
}
