package aisle

import (
	"context"
	"iter"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Page is an answer of a list with pages.
type Page interface {
	GetNextPageToken() string
}

// Pages iterates over the items of a list, page by page as they are consumed. It stops after an error:
//
//	for event, err := range aisle.Pages(ctx, client.Events.ListEvents, request, (*aislev1.ListEventsResponse).GetEvents) {
func Pages[Request proto.Message, Response Page, Item any](
	ctx context.Context,
	list func(context.Context, Request, ...grpc.CallOption) (Response, error),
	request Request,
	itemsOf func(Response) []Item,
) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		next := proto.Clone(request).(Request)
		token := next.ProtoReflect().Descriptor().Fields().ByName("page_token")
		for {
			page, err := list(ctx, next)
			if err != nil {
				yield(*new(Item), err)
				return
			}
			for _, item := range itemsOf(page) {
				if !yield(item, nil) {
					return
				}
			}
			// Some lists give a token at their end too, for what comes later: the one that was sent.
			if page.GetNextPageToken() == "" || page.GetNextPageToken() == next.ProtoReflect().Get(token).String() {
				return
			}
			next.ProtoReflect().Set(token, protoreflect.ValueOfString(page.GetNextPageToken()))
		}
	}
}
