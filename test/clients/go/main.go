// A shop's server in Go: creates an app, records orders, trains, asks for recommendations, meets two errors.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net/url"
	"os"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	aisle "example.com/shop/gen/aisle/v1"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if token := os.Getenv("AISLE_TOKEN"); token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
	}
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	conn, err := connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	events := aisle.NewEventServiceClient(conn)
	recommendations := aisle.NewRecommendationServiceClient(conn)

	created, err := aisle.NewAppServiceClient(conn).CreateApp(ctx, &aisle.CreateAppRequest{App: &aisle.App{DisplayName: "Tea shop"}})
	if err != nil {
		return err
	}
	appID := created.GetApp().GetAppId()
	fmt.Println("app:", appID)

	// A stream of batches: of two kinds of customers, one buys a pot with its tea, the other a brush with its paint.
	stream, err := events.RecordEvents(ctx)
	if err != nil {
		return err
	}
	for _, pair := range [][]string{{"tea", "pot"}, {"paint", "brush"}} {
		batch := &aisle.RecordEventsRequest{AppId: appID}
		for i := range 20 {
			id := fmt.Sprintf("%s-%d", pair[0], i)
			batch.Events = append(batch.Events, &aisle.Event{
				ActionType: "order",
				Visitor:    &aisle.VisitorIds{ClientId: id},
				Order:      &aisle.EventOrder{OrderId: id},
				Products:   []*aisle.EventProduct{{ProductId: pair[0]}, {ProductId: pair[1]}},
			})
			batch.IdempotencyKeys = append(batch.IdempotencyKeys, id)
		}
		if err := stream.Send(batch); err != nil {
			break // the answer says why
		}
	}
	recorded, err := stream.CloseAndRecv()
	if err != nil {
		return err
	}
	fmt.Println("recorded:", recorded.GetAccepted())

	// A stream of answers: each stage of the training as it begins, the model at last.
	training, err := aisle.NewModelServiceClient(conn).TrainModel(ctx, &aisle.TrainModelRequest{AppId: appID})
	if err != nil {
		return err
	}
	for {
		progress, err := training.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if progress.GetModel() != nil {
			fmt.Println("trained: yes")
		}
	}

	count := uint32(1)
	answer, err := recommendations.Recommend(ctx, &aisle.RecommendRequest{
		AppId: appID, CurrentProductIds: []string{"tea"}, RecommendedCount: &count,
	})
	if err != nil {
		return err
	}
	for _, product := range answer.GetRecommended() {
		fmt.Println("with tea:", product.GetProductId())
	}

	_, err = recommendations.Recommend(ctx, &aisle.RecommendRequest{AppId: "nobody"})
	printRefusal(err)
	_, err = events.RecordEvent(ctx, &aisle.RecordEventRequest{AppId: appID, Event: &aisle.Event{}})
	printRefusal(err)
	return nil
}

// printRefusal prints the code of what a call was refused with, and its typed details.
func printRefusal(err error) {
	refusal := status.Convert(err)
	said := refusal.Code().String()
	for _, detail := range refusal.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			said += " " + detail.GetReason()
		case *errdetails.BadRequest:
			for _, violation := range detail.GetFieldViolations() {
				said += " " + violation.GetField() + " " + violation.GetReason()
			}
		}
	}
	fmt.Println("refused:", said)
}

// connect reads the server's address from AISLE_SERVER and, for https, an own authority from AISLE_CA.
func connect() (*grpc.ClientConn, error) {
	server := os.Getenv("AISLE_SERVER")
	if server == "" {
		server = "http://127.0.0.1:8081"
	}
	address, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	if address.Scheme != "https" {
		return grpc.NewClient(address.Host, grpc.WithTransportCredentials(insecure.NewCredentials()))
	}
	config := &tls.Config{}
	if path := os.Getenv("AISLE_CA"); path != "" {
		pem, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		config.RootCAs.AppendCertsFromPEM(pem)
	}
	return grpc.NewClient(address.Host, grpc.WithTransportCredentials(credentials.NewTLS(config)))
}
