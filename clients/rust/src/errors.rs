use std::time::Duration;

use tonic::Status;
use tonic_types::StatusExt;
pub use tonic_types::FieldViolation;

/// Why Aisle refused a call, such as `APP_NOT_FOUND`; None when the error does not come from Aisle.
pub fn reason(status: &Status) -> Option<String> {
    status.get_details_error_info().map(|info| info.reason)
}

/// The fields that Aisle did not accept, each with a description.
pub fn fields(status: &Status) -> Vec<FieldViolation> {
    status.get_details_bad_request().map(|details| details.field_violations).unwrap_or_default()
}

/// The time after which Aisle asks to call again.
pub fn retry_delay(status: &Status) -> Option<Duration> {
    status.get_details_retry_info().and_then(|info| info.retry_delay)
}
