// Command ferretpeer serves the MongoDB wire protocol for tests: FerretDB on SQLite, on a loopback address only.
// The embedded package sends no telemetry.
//
// What it has answered is in the files, so it outlives the end of the peer, also by kill -9; but the files are not synced,
// so it need not outlive a power cut. No test cuts the power of the peer, and all are some three times as fast.
//
//	ferretpeer 127.0.0.1:PORT DIRECTORY
//
// It prints "ready URL" and ends when its standard input does, so that it never outlives the tests that started it.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	if len(os.Args) != 3 || !strings.HasPrefix(os.Args[1], "127.0.0.1:") {
		fmt.Fprintln(os.Stderr, "usage: ferretpeer 127.0.0.1:PORT DIRECTORY")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	directory := strings.TrimRight(os.Args[2], "/")
	peer, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: os.Args[1]},
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Handler:   "sqlite",
		SQLiteURL: "file:" + directory + "/?_pragma=synchronous(off)",
	})
	if err == nil {
		go indexIDs(ctx, directory)
		fmt.Println("ready", peer.MongoDBURI())
		err = peer.Run(ctx)
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "ferretpeer:", err)
		os.Exit(1)
	}
}
