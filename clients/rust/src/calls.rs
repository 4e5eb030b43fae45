use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use prost::bytes::{BufMut, Bytes, BytesMut};
use prost::encoding;
use tonic::body::Body;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use tonic::{Code, Status};
use tower::{Service, ServiceExt};

use crate::contract::{Clients, Method, METHODS, RETRY};

/// Where the server is and who calls.
#[derive(Clone, Debug)]
pub struct Options {
    /// Address of the RPC port.
    pub server: String,
    /// Token of the caller.
    pub token: Option<String>,
    /// PEM of the authority of an https server; without it the system's authorities count.
    pub ca: Option<Vec<u8>>,
    /// Deadline of a unary call that names none and does not wait for other work, over all its attempts.
    pub timeout: Duration,
}

impl Options {
    /// Reads AISLE_SERVER (else `http://127.0.0.1:8081`), AISLE_TOKEN and AISLE_CA (a file). The deadline is 10 seconds.
    pub fn from_env() -> std::io::Result<Self> {
        let read = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        Ok(Self {
            server: read("AISLE_SERVER").unwrap_or_else(|| "http://127.0.0.1:8081".into()),
            token: read("AISLE_TOKEN"),
            ca: read("AISLE_CA").map(std::fs::read).transpose()?,
            timeout: Duration::from_secs(10),
        })
    }
}

/// Why the options cannot be used.
pub type ConnectError = Box<dyn std::error::Error + Send + Sync>;

/// Clients of all services over one HTTP/2 connection, which the first call opens.
pub fn connect(options: Options) -> Result<Clients, ConnectError> {
    let mut endpoint = Endpoint::from_shared(options.server)?;
    if endpoint.uri().scheme_str() == Some("https") {
        let tls = match options.ca {
            Some(pem) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem)),
            None => ClientTlsConfig::new().with_native_roots(),
        };
        endpoint = endpoint.tls_config(tls)?;
    }
    let token = options.token.map(|token| format!("Bearer {token}").parse()).transpose()?;
    Ok(Clients::new(Calls { channel: endpoint.connect_lazy(), token, timeout: options.timeout }))
}

/// A channel that adds to every call its token, and to every unary call a deadline, a key where the contract has a field
/// for it, and further attempts while the server is unavailable and repeating does nothing twice.
#[derive(Clone, Debug)]
pub struct Calls {
    channel: Channel,
    token: Option<MetadataValue<Ascii>>,
    timeout: Duration,
}

impl Service<http::Request<Body>> for Calls {
    type Response = http::Response<Body>;
    type Error = Status;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Status>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: http::Request<Body>) -> Self::Future {
        if let Some(token) = &self.token {
            // A MetadataValue<Ascii> is always a valid header value.
            let value = http::HeaderValue::from_bytes(token.as_bytes()).expect("an ASCII value");
            request.headers_mut().insert(http::header::AUTHORIZATION, value);
        }
        let channel = self.channel.clone();
        let Some(method) = METHODS.iter().find(|method| method.path == request.uri().path()) else {
            return Box::pin(async move { channel.oneshot(request).await.map_err(to_status) });
        };
        let has_none = method.waits || request.headers().contains_key("grpc-timeout");
        let usual = (!has_none).then_some(self.timeout);
        Box::pin(async move {
            let calls = attempts(channel, request, method);
            let Some(deadline) = usual else { return calls.await };
            let expired = |_| Err(Status::deadline_exceeded("no answer within the client's deadline"));
            tokio::time::timeout(deadline, calls).await.unwrap_or_else(expired)
        })
    }
}

async fn attempts(
    channel: Channel,
    request: http::Request<Body>,
    method: &Method,
) -> Result<http::Response<Body>, Status> {
    let (head, body) = request.into_parts();
    let body = with_key(body.collect().await?.to_bytes(), method);
    let mut attempt = 1;
    loop {
        let mut again = http::Request::new(Body::new(Full::new(body.clone())));
        *again.method_mut() = head.method.clone();
        *again.uri_mut() = head.uri.clone();
        *again.version_mut() = head.version;
        *again.headers_mut() = head.headers.clone();
        *again.extensions_mut() = head.extensions.clone();
        let result = channel.clone().oneshot(again).await.map_err(to_status);
        let code = match &result {
            Ok(response) => Status::from_header_map(response.headers()).map(|status| status.code()),
            Err(status) => Some(status.code()),
        };
        if code != Some(Code::Unavailable) || !method.repeatable || attempt == RETRY.max_attempts {
            return result;
        }
        tokio::time::sleep(backoff(attempt, RETRY.max_backoff)).await;
        attempt += 1;
    }
}

/// The pause before attempt `attempt + 1`: exponential, with jitter.
pub(crate) fn backoff(attempt: u32, longest: Duration) -> Duration {
    let whole = RETRY.initial_backoff.saturating_mul(RETRY.backoff_multiplier.saturating_pow(attempt - 1));
    let random = (uuid::Uuid::new_v4().as_u128() >> 96) as f64 / f64::from(u32::MAX);
    whole.min(longest).mul_f64(random)
}

fn to_status(error: tonic::transport::Error) -> Status {
    Status::from_error(Box::new(error))
}

/// Fills an empty key, so that the server recognizes a further attempt. `body` is one uncompressed message with its prefix.
fn with_key(body: Bytes, method: &Method) -> Bytes {
    const PREFIX: usize = 5;
    let Some(field) = method.key else { return body };
    let Some(message) = body.get(PREFIX..).filter(|_| body[0] == 0) else { return body };
    if has_field(message, field) {
        return body;
    }
    let mut longer = BytesMut::from(message);
    encoding::string::encode(field, &uuid::Uuid::new_v4().to_string(), &mut longer);
    let mut framed = BytesMut::with_capacity(PREFIX + longer.len());
    framed.put_u8(0);
    framed.put_u32(longer.len() as u32);
    framed.extend_from_slice(&longer);
    framed.freeze()
}

fn has_field(mut message: &[u8], field: u32) -> bool {
    while !message.is_empty() {
        let Ok((tag, wire_type)) = encoding::decode_key(&mut message) else { return true };
        if tag == field {
            return true;
        }
        if encoding::skip_field(wire_type, tag, &mut message, encoding::DecodeContext::default()).is_err() {
            return true;
        }
    }
    false
}
