// Calls one method over one HTTP/2 connection, as grpc-go does it, and prints how many calls ended with which code.
//
// Messages are bytes, so nothing has to be generated.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"log"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/status"
)

var (
	address  = flag.String("address", "", "host:port of the server")
	method   = flag.String("method", "", "/package.Service/Method")
	message  = flag.String("message", "", "the request in base64")
	size     = flag.Int("size", 0, "send so many zero bytes as the request instead")
	other    = flag.String("patient-message", "", "what patient callers send, in base64, if -size is given")
	callers  = flag.Int("callers", 10, "callers at a time, each in a closed loop")
	deadline = flag.Duration("deadline", 0, "deadline of their calls; 0: none")
	random   = flag.Bool("random", false, "each deadline is random, up to -deadline")
	cancels  = flag.Bool("cancels", false, "callers cancel instead of setting a deadline")
	calls    = flag.Int("calls", 0, "each caller makes at least so many calls")
	duration = flag.Duration("for", time.Second, "and goes on for so long")
	patient  = flag.Int("patient", 0, "callers on the same connection whose deadline is 20 s, and who wait 5 ms between calls")
)

// outcome counts calls by the code they ended with.
type outcome struct {
	mutex sync.Mutex
	Codes map[string]int `json:"codes"`
	// Texts has the first error text of each code.
	Texts map[string]string `json:"texts"`
}

func (o *outcome) add(err error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	code := status.Code(err).String()
	o.Codes[code]++
	if _, known := o.Texts[code]; !known && err != nil {
		o.Texts[code] = status.Convert(err).Message()
	}
}

func newOutcome() *outcome { return &outcome{Codes: map[string]int{}, Texts: map[string]string{}} }

func main() {
	flag.Parse()
	request, err := base64.StdEncoding.DecodeString(*message)
	if err != nil {
		log.Fatal(err)
	}
	quiet := request
	if *size > 0 {
		request = make([]byte, *size)
		if quiet, err = base64.StdEncoding.DecodeString(*other); err != nil {
			log.Fatal(err)
		}
	}
	conn, err := grpc.NewClient(*address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(rawCodec{}), grpc.MaxCallSendMsgSize(64<<20)))
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	until := time.Now().Add(*duration)
	call := func(ctx context.Context, request []byte) error {
		var answer []byte
		return conn.Invoke(ctx, *method, request, &answer)
	}
	hasty, unhurried := newOutcome(), newOutcome()
	var waiting sync.WaitGroup
	var hurried atomic.Int64
	hurried.Store(int64(*callers))
	start := func(many int, loop func()) {
		for range many {
			waiting.Add(1)
			go func() {
				defer waiting.Done()
				loop()
			}()
		}
	}
	start(*callers, func() {
		for n := 0; n < *calls || time.Now().Before(until); n++ {
			ctx, cancel := hastyContext()
			hasty.add(call(ctx, request))
			cancel()
		}
		hurried.Add(-1)
	})
	start(*patient, func() {
		for hurried.Load() > 0 || time.Now().Before(until) {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			unhurried.add(call(ctx, quiet))
			cancel()
			time.Sleep(5 * time.Millisecond)
		}
	})
	waiting.Wait()
	err = json.NewEncoder(os.Stdout).Encode(map[string]*outcome{"hasty": hasty, "patient": unhurried})
	if err != nil {
		log.Fatal(err)
	}
}

func hastyContext() (context.Context, context.CancelFunc) {
	if *deadline == 0 {
		return context.WithCancel(context.Background())
	}
	after := *deadline
	if *random {
		after = rand.N(*deadline) + time.Microsecond
	}
	if !*cancels {
		return context.WithTimeout(context.Background(), after)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(after, cancel)
	return ctx, cancel
}

// rawCodec sends and receives bytes as they are.
type rawCodec struct{}

var _ encoding.Codec = rawCodec{}

func (rawCodec) Marshal(v any) ([]byte, error) { return v.([]byte), nil }
func (rawCodec) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}
func (rawCodec) Name() string { return "proto" }
