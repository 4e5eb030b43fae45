package aisle

import (
	"context"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"aisle.example/client/aislev1"
)

const (
	// Events in a message; the server takes at most 1,000.
	batchSize = 500
	// Messages in a call; a call is what is repeated.
	batchesPerCall = 20
)

// RecordedTotals is what became of many events.
type RecordedTotals struct {
	// Events stored.
	Accepted int64
	// Events whose key was known.
	Deduplicated int64
	// Events not stored, with their position among all events; at most 1,000 of each call.
	Refused []*aislev1.RefusedItem
	// Number of all events not stored.
	RefusedTotal int64
}

// RecordAll records many events in batches. A call that finds the server unavailable is repeated; the keys store each event
// once. keyOf gives the key of an event, for example its order id; nil makes a random one.
func RecordAll(
	ctx context.Context, client aislev1.EventServiceClient, appID string, events iter.Seq[*aislev1.Event],
	keyOf func(*aislev1.Event) string,
) (RecordedTotals, error) {
	if keyOf == nil {
		keyOf = func(*aislev1.Event) string { return uuid.NewString() }
	}
	var totals RecordedTotals
	sent := 0
	for part := range chunks(events, batchSize*batchesPerCall) {
		var batches []*aislev1.RecordEventsRequest
		for batch := range slices.Chunk(part, batchSize) {
			request := &aislev1.RecordEventsRequest{AppId: appID, Events: batch}
			for _, event := range batch {
				request.IdempotencyKeys = append(request.IdempotencyKeys, keyOf(event))
			}
			batches = append(batches, request)
		}
		answer, err := record(ctx, client, batches)
		if err != nil {
			return totals, err
		}
		totals.Accepted += int64(answer.GetAccepted())
		totals.Deduplicated += int64(answer.GetDeduplicated())
		totals.RefusedTotal += int64(answer.GetRefusedTotal())
		for _, item := range answer.GetRefused() {
			item.Index += int32(sent)
			totals.Refused = append(totals.Refused, item)
		}
		sent += len(part)
	}
	return totals, nil
}

func record(ctx context.Context, client aislev1.EventServiceClient, batches []*aislev1.RecordEventsRequest) (*aislev1.RecordEventsResponse, error) {
	for attempt := 1; ; attempt++ {
		answer, err := recordOnce(ctx, client, batches)
		if status.Code(err) != codes.Unavailable || attempt == maxAttempts {
			return answer, err
		}
		if err := pause(ctx, backoff(attempt, maxBackoff)); err != nil {
			return nil, err
		}
	}
}

func recordOnce(ctx context.Context, client aislev1.EventServiceClient, batches []*aislev1.RecordEventsRequest) (*aislev1.RecordEventsResponse, error) {
	stream, err := client.RecordEvents(ctx)
	if err != nil {
		return nil, err
	}
	for _, batch := range batches {
		if stream.Send(batch) != nil {
			break // the answer tells why
		}
	}
	return stream.CloseAndRecv()
}

func chunks[T any](items iter.Seq[T], size int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		var chunk []T
		for item := range items {
			if chunk = append(chunk, item); len(chunk) < size {
				continue
			}
			if !yield(chunk) {
				return
			}
			chunk = nil
		}
		if len(chunk) > 0 {
			yield(chunk)
		}
	}
}

// backoff is the time before attempt+1: exponential, with jitter.
func backoff(attempt int, longest time.Duration) time.Duration {
	whole := initialBackoff
	for range attempt - 1 {
		if whole = whole * backoffMultiplier; whole >= longest {
			whole = longest
			break
		}
	}
	return time.Duration(rand.Float64() * float64(whole))
}

func pause(ctx context.Context, length time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(length):
		return nil
	}
}
