use tonic::{Code, Status};

use crate::calls::{backoff, Calls};
use crate::contract::RETRY;
use crate::v1::event_service_client::EventServiceClient;
use crate::v1::{Event, RecordEventsRequest, RefusedItem};

/// Events in a message; the server takes at most 1,000.
const BATCH_SIZE: usize = 500;

/// Messages in a call; a call is what is repeated.
const BATCHES_PER_CALL: usize = 20;

/// What became of the events.
#[derive(Clone, Debug, Default)]
pub struct RecordedTotals {
    /// Events stored.
    pub accepted: u64,
    /// Events whose key was known.
    pub deduplicated: u64,
    /// Events not stored, with their position among all events; at most 1,000 of each call.
    pub refused: Vec<RefusedItem>,
    /// Number of all events not stored.
    pub refused_total: u64,
}

/// Records many events in batches, with random keys. A call that finds the server unavailable is repeated; the keys
/// store each event once.
pub async fn record_all(
    client: &EventServiceClient<Calls>,
    app_id: &str,
    events: impl IntoIterator<Item = Event>,
) -> Result<RecordedTotals, Status> {
    record_all_with_keys(client, app_id, events, |_| uuid::Uuid::new_v4().to_string()).await
}

/// [`record_all`] with the key under which each event is stored once, for example its order id.
pub async fn record_all_with_keys(
    client: &EventServiceClient<Calls>,
    app_id: &str,
    events: impl IntoIterator<Item = Event>,
    key_of: impl Fn(&Event) -> String,
) -> Result<RecordedTotals, Status> {
    let mut totals = RecordedTotals::default();
    let mut events = events.into_iter();
    let mut sent = 0;
    loop {
        let part: Vec<Event> = events.by_ref().take(BATCH_SIZE * BATCHES_PER_CALL).collect();
        if part.is_empty() {
            return Ok(totals);
        }
        let batches: Vec<_> = part.chunks(BATCH_SIZE).map(|batch| request(app_id, batch, &key_of)).collect();
        let answer = record(client, batches).await?;
        totals.accepted += answer.accepted as u64;
        totals.deduplicated += answer.deduplicated as u64;
        totals.refused_total += answer.refused_total as u64;
        totals.refused.extend(answer.refused.into_iter().map(|mut item| {
            item.index += sent;
            item
        }));
        sent += part.len() as i32;
    }
}

fn request(app_id: &str, batch: &[Event], key_of: impl Fn(&Event) -> String) -> RecordEventsRequest {
    RecordEventsRequest {
        app_id: app_id.into(),
        events: batch.to_vec(),
        idempotency_keys: batch.iter().map(key_of).collect(),
        ..Default::default()
    }
}

async fn record(
    client: &EventServiceClient<Calls>,
    batches: Vec<RecordEventsRequest>,
) -> Result<crate::v1::RecordEventsResponse, Status> {
    let mut attempt = 1;
    loop {
        match client.clone().record_events(tokio_stream::iter(batches.clone())).await {
            Err(status) if status.code() == Code::Unavailable && attempt < RETRY.max_attempts => {
                tokio::time::sleep(backoff(attempt, RETRY.max_backoff)).await;
                attempt += 1;
            }
            result => return result.map(tonic::Response::into_inner),
        }
    }
}
