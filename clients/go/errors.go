package aisle

import (
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"
)

// ReasonOf tells why Aisle refused a call, such as ReasonAppNotFound; empty when the error does not come from Aisle.
func ReasonOf(err error) Reason {
	if info, found := detail[*errdetails.ErrorInfo](err); found {
		return Reason(info.GetReason())
	}
	return ""
}

// FieldsOf returns the fields that Aisle did not accept, each with FIELD_MISSING or FIELD_INVALID as its reason and a description.
func FieldsOf(err error) []*errdetails.BadRequest_FieldViolation {
	bad, _ := detail[*errdetails.BadRequest](err)
	return bad.GetFieldViolations()
}

// RetryDelayOf returns the time after which Aisle asks to call again; 0 when it names none.
func RetryDelayOf(err error) time.Duration {
	info, _ := detail[*errdetails.RetryInfo](err)
	return info.GetRetryDelay().AsDuration()
}

func detail[T any](err error) (found T, ok bool) {
	for _, each := range status.Convert(err).Details() {
		if found, ok = each.(T); ok {
			return found, true
		}
	}
	return found, false
}
