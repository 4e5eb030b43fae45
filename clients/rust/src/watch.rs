use std::future::Future;
use std::time::Duration;

use tokio_stream::{Stream, StreamExt};
use tonic::{Code, Response, Status, Streaming};

use crate::calls::backoff;

/// The longest pause between two connections.
const LONGEST: Duration = Duration::from_secs(10);

/// The messages of a stream that is opened again when the server goes away, after the last message received. `open` makes
/// the call that continues after a token, empty at first; `token_of` reads the token of a message.
///
/// It ends only with an error that is no lost connection. Drop it to end it.
pub fn watch<M, O, F>(
    mut open: O,
    token_of: impl Fn(&M) -> String,
    mut token: String,
) -> impl Stream<Item = Result<M, Status>>
where
    O: FnMut(String) -> F,
    F: Future<Output = Result<Response<Streaming<M>>, Status>>,
{
    async_stream::try_stream! {
        let mut attempt = 1;
        loop {
            match open(token.clone()).await {
                Ok(response) => {
                    let mut messages = response.into_inner();
                    while let Some(message) = messages.next().await {
                        match message {
                            Ok(message) => {
                                let next = token_of(&message);
                                if !next.is_empty() {
                                    token = next;
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
    }
}
