// Package aisle is a client of Aisle. Connect gives clients of all services, with a deadline and retries for each call;
// messages are in the package aislev1.
package aisle

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	_ "embed"
	"errors"
	"net/url"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
)

// ServiceConfig is the gRPC service config of a connection: which calls it repeats while the server is unavailable.
//
//go:embed service-config.json
var ServiceConfig string

// Options say where the server is and who calls. Connect fills those that are empty.
type Options struct {
	// Server is the address of the RPC port. Default: AISLE_SERVER, else http://127.0.0.1:8081.
	Server string
	// Token of the caller. Default: AISLE_TOKEN, else none.
	Token string
	// CA is the PEM file of the authority of an https server. Default: AISLE_CA, else the system's.
	CA string
	// Timeout is the deadline of a unary call whose context has none and which does not wait for other work. Default: 10
	// seconds.
	Timeout time.Duration
	// Dial options that are added to those of this package.
	Dial []grpc.DialOption
}

// The server's limit of an answer; gRPC's own is 4 MiB.
const longestAnswer = 16 << 20

// Client has a client of each service. They share one connection, which the first call opens.
type Client struct {
	services
	conn *grpc.ClientConn
}

// Connect makes a client. Close it at the end.
func Connect(options Options) (*Client, error) {
	options.Server = first(options.Server, os.Getenv("AISLE_SERVER"), "http://127.0.0.1:8081")
	options.Token = first(options.Token, os.Getenv("AISLE_TOKEN"))
	options.CA = first(options.CA, os.Getenv("AISLE_CA"))
	if options.Timeout == 0 {
		options.Timeout = 10 * time.Second
	}
	server, err := url.Parse(options.Server)
	if err != nil {
		return nil, err
	}
	transport, err := transportCredentials(server, options.CA)
	if err != nil {
		return nil, err
	}
	dial := append([]grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultServiceConfig(ServiceConfig),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(longestAnswer)),
		grpc.WithChainUnaryInterceptor(withDefaults(options)),
		grpc.WithChainStreamInterceptor(withTokenOf(options)),
	}, options.Dial...)
	conn, err := grpc.NewClient(server.Host, dial...)
	if err != nil {
		return nil, err
	}
	return &Client{services: servicesOver(conn), conn: conn}, nil
}

// Close closes the connection.
func (client *Client) Close() error {
	return client.conn.Close()
}

func withDefaults(options Options) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, call ...grpc.CallOption) error {
		if _, has := ctx.Deadline(); !has && !isWait(request) {
			limited, cancel := context.WithTimeout(ctx, options.Timeout)
			defer cancel()
			ctx = limited
		}
		return invoke(withToken(ctx, options.Token), method, withKey(request), reply, conn, call...)
	}
}

func withTokenOf(options Options) grpc.StreamClientInterceptor {
	return func(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, call ...grpc.CallOption) (grpc.ClientStream, error) {
		return open(withToken(ctx, options.Token), desc, conn, method, call...)
	}
}

func withToken(ctx context.Context, token string) context.Context {
	if token == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
}

func transportCredentials(server *url.URL, ca string) (credentials.TransportCredentials, error) {
	if server.Scheme == "http" {
		return insecure.NewCredentials(), nil
	}
	if server.Scheme != "https" {
		return nil, errors.New("aisle: the server's address begins with http:// or https://")
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, errors.New("aisle: no certificate in " + ca)
		}
	}
	return credentials.NewTLS(config), nil
}

func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
