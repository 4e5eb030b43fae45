package aisle

import (
	"context"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"aisle.example/client/aislev1"
)

// Wait returns the operation when it has ended with a result, such as the model of a training. A failed one gives its error,
// as a failed call would, and a cancelled one Canceled.
func Wait(ctx context.Context, client aislev1.OperationServiceClient, operation *aislev1.Operation) (*aislev1.Operation, error) {
	request := &aislev1.WaitOperationRequest{AppId: operation.GetAppId(), OperationId: operation.GetOperationId()}
	for {
		answer, err := client.WaitOperation(ctx, request)
		if err != nil {
			return nil, err
		}
		switch found := answer.GetOperation(); found.GetState() {
		case aislev1.OperationState_OPERATION_STATE_SUCCEEDED:
			return found, nil
		case aislev1.OperationState_OPERATION_STATE_CANCELLED:
			return nil, status.Error(codes.Canceled, "the operation was cancelled")
		case aislev1.OperationState_OPERATION_STATE_FAILED:
			failed := status.New(codes.Code(found.GetError().GetCode()), found.GetError().GetMessage())
			info := &errdetails.ErrorInfo{Domain: "aisle", Reason: found.GetError().GetReason().String()}
			if detailed, err := failed.WithDetails(info); err == nil {
				failed = detailed
			}
			return nil, failed.Err()
		}
	}
}
