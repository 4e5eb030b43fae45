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
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// The longest pause between two connections.
const longestPause = 10 * time.Second

// Watched is a message of a stream that can be resumed after it.
type Watched interface {
	GetResumeToken() string
}

// Watch iterates over the messages of a stream that is opened again when the server goes away, after the last message
// received. Leaving the loop ends the call. It stops when ctx is done, and after an error that is no lost connection:
//
//	for message, err := range aisle.Watch(ctx, client.Events.WatchEvents, request) {
func Watch[Request proto.Message, Message any](
	ctx context.Context,
	open func(context.Context, Request, ...grpc.CallOption) (grpc.ServerStreamingClient[Message], error),
	request Request,
) iter.Seq2[*Message, error] {
	return func(yield func(*Message, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		next := proto.Clone(request).(Request)
		token := next.ProtoReflect().Descriptor().Fields().ByName("resume_token")
		for attempt := 1; ctx.Err() == nil; attempt++ {
			stream, err := open(ctx, next)
			for err == nil {
				var message *Message
				if message, err = stream.Recv(); err != nil {
					break
				}
				if watched, is := any(message).(Watched); is && watched.GetResumeToken() != "" {
					next.ProtoReflect().Set(token, protoreflect.ValueOfString(watched.GetResumeToken()))
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
