use std::collections::HashMap;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::contract::Clients;
use crate::v1::{operation, Operation, OperationState, WaitOperationRequest};

/// The operation when it has ended with a result, such as the model of a training. A failed one gives its error, as a failed
/// call would, and a cancelled one `Cancelled`.
pub async fn wait(clients: &Clients, operation: Option<Operation>) -> Result<Operation, Status> {
    let Operation { app_id, operation_id, .. } = operation.unwrap_or_default();
    let request = WaitOperationRequest { app_id, operation_id, ..Default::default() };
    let mut operations = clients.operations.clone();
    loop {
        let found = operations.wait_operation(request.clone()).await?.into_inner().operation.unwrap_or_default();
        match (found.state(), &found.result) {
            (OperationState::Succeeded, _) => return Ok(found),
            (OperationState::Cancelled, _) => return Err(Status::cancelled("the operation was cancelled")),
            (_, Some(operation::Result::Error(error))) => {
                let details = ErrorDetails::with_error_info(error.reason().as_str_name(), "aisle", HashMap::new());
                return Err(Status::with_error_details(Code::from(error.code), &error.message, details));
            }
            _ => {}
        }
    }
}
