package aisle

import (
	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// isWait tells whether the server may wait for other work before it answers.
func isWait(request any) bool {
	message, is := request.(proto.Message)
	return is && message.ProtoReflect().Descriptor().Fields().ByName(waitField) != nil
}

// withKey fills an empty key, so that the server recognizes a further attempt. The caller's request stays as it is.
func withKey(request any) any {
	message, is := request.(proto.Message)
	if !is {
		return request
	}
	fields := message.ProtoReflect().Descriptor().Fields()
	for _, name := range keyFields {
		field := fields.ByName(protoreflect.Name(name))
		if field == nil || message.ProtoReflect().Has(field) {
			continue
		}
		filled := proto.Clone(message)
		filled.ProtoReflect().Set(field, protoreflect.ValueOfString(uuid.NewString()))
		return filled
	}
	return request
}
