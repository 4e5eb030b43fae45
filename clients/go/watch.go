package aisle

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The longest pause between two connections.
const longestPause = 10 * time.Second

// Watch iterates over the messages of a stream that is opened again when the server goes away, after the last message
// received. open makes the call that continues after a token, empty at first; tokenOf reads the token of a message. It stops
// when ctx is done, and after an error that is no lost connection.
func Watch[Message any](
	ctx context.Context,
	open func(ctx context.Context, token string) (grpc.ServerStreamingClient[Message], error),
	tokenOf func(*Message) string,
	token string,
) iter.Seq2[*Message, error] {
	return func(yield func(*Message, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		for attempt := 1; ctx.Err() == nil; attempt++ {
			stream, err := open(ctx, token)
			for err == nil {
				var message *Message
				if message, err = stream.Recv(); err != nil {
					break
				}
				if next := tokenOf(message); next != "" {
					token = next
				}
				attempt = 1
				if !yield(message, nil) {
					return
				}
			}
			if ctx.Err() != nil {
				return
			}
			if !errors.Is(err, io.EOF) && status.Code(err) != codes.Unavailable {
				yield(nil, err)
				return
			}
			_ = pause(ctx, backoff(attempt, longestPause)) // the loop looks whether ctx is done
		}
	}
}
