// Calls of grpc-go as it comes, on bytes that were encoded before.
//
//	stock refused ADDRESS METHOD FILE CALLS
//	    Calls of a client stream that is refused, each with the message of FILE: half of them send it once, half send on until
//	    they see the end. Prints a line for each: `once` or `on`, and the code.
//	stock watch ADDRESS METHOD FILE EVENTS TOKEN_FIELD
//	    Watches until so many messages of field 1 came, going on with the last token after an error. Prints events, the length of
//	    the longest token, and errors.
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"log"
	"os"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

type raw struct{}

func (raw) Name() string { return "proto" }

func (raw) Marshal(v any) ([]byte, error) { return *v.(*[]byte), nil }

func (raw) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}

func main() {
	address, method := os.Args[2], os.Args[3]
	message, err := os.ReadFile(os.Args[4])
	must(err)
	count, err := strconv.Atoi(os.Args[5])
	must(err)
	client, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(err)
	if os.Args[1] == "refused" {
		refused(client, method, message, count)
	} else {
		field, err := strconv.Atoi(os.Args[6])
		must(err)
		watch(client, method, message, count, field)
	}
}

func refused(client *grpc.ClientConn, method string, message []byte, calls int) {
	for n := 0; n < calls; n++ {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		stream, err := client.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, method, grpc.ForceCodec(raw{}))
		must(err)
		how := "once"
		if n%2 == 1 {
			how = "on"
		}
		for err = stream.SendMsg(&message); err == nil && how == "on"; {
			err = stream.SendMsg(&message)
		}
		if how == "once" {
			must(stream.CloseSend())
		}
		var answer []byte
		fmt.Println(how, status.Code(stream.RecvMsg(&answer)))
		cancel()
	}
}

func watch(client *grpc.ClientConn, method string, request []byte, wanted, field int) {
	ctx, cancel := context.WithTimeout(context.Background(), 120*time.Second)
	defer cancel()
	events, longest, messages := 0, 0, 0
	token := []byte{}
	var errors []string
	for events < wanted && ctx.Err() == nil {
		message := request
		if len(token) > 0 {
			message = binary.AppendUvarint(append(append([]byte{}, request...), byte(field<<3|2)), uint64(len(token)))
			message = append(message, token...)
		}
		stream, err := client.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, method, grpc.ForceCodec(raw{}))
		must(err)
		must(stream.SendMsg(&message))
		must(stream.CloseSend())
		for events < wanted {
			var answer []byte
			if err := stream.RecvMsg(&answer); err != nil {
				errors = append(errors, status.Code(err).String())
				break
			}
			if messages++; messages == 1 {
				fmt.Println("ready")
			}
			for len(answer) > 0 {
				tag, n := binary.Uvarint(answer)
				length, m := binary.Uvarint(answer[n:])
				value := answer[n+m : n+m+int(length)]
				answer = answer[n+m+int(length):]
				if tag>>3 == 1 {
					events++
				} else {
					token = value
				}
			}
			longest = max(longest, len(token))
		}
	}
	fmt.Println("events", events, "longest token", longest, "messages", messages, "errors", errors)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
