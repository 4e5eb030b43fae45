// The least that grpc-go does for a call: it reads the request and answers with a message that it read at its start.
//
//	server DIRECTORY
//
// DIRECTORY has one file for each method, `GetStatus.bin` and so on, with the encoded answer. Prints the port it listens on.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	aisle "example.com/bench/gen/aisle/v1"
)

type events struct {
	aisle.UnimplementedEventServiceServer
	answer aisle.RecordEventResponse
}

func (s *events) RecordEvent(context.Context, *aisle.RecordEventRequest) (*aisle.RecordEventResponse, error) {
	return &s.answer, nil
}

type subscriptions struct {
	aisle.UnimplementedSubscriptionServiceServer
	answer aisle.GetStatusResponse
}

func (s *subscriptions) GetStatus(context.Context, *aisle.GetStatusRequest) (*aisle.GetStatusResponse, error) {
	return &s.answer, nil
}

type recommendations struct {
	aisle.UnimplementedRecommendationServiceServer
	answer aisle.RecommendResponse
}

func (s *recommendations) Recommend(context.Context, *aisle.RecommendRequest) (*aisle.RecommendResponse, error) {
	return &s.answer, nil
}

func read(directory, method string, answer proto.Message) {
	bytes, err := os.ReadFile(filepath.Join(directory, method+".bin"))
	if err == nil {
		err = proto.Unmarshal(bytes, answer)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	var e events
	var s subscriptions
	var r recommendations
	read(os.Args[1], "RecordEvent", &e.answer)
	read(os.Args[1], "GetStatus", &s.answer)
	read(os.Args[1], "Recommend", &r.answer)
	server := grpc.NewServer()
	aisle.RegisterEventServiceServer(server, &e)
	aisle.RegisterSubscriptionServiceServer(server, &s)
	aisle.RegisterRecommendationServiceServer(server, &r)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(server.Serve(listener))
}
