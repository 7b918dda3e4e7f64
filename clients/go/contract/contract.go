// Package contract is what the Go programs have in common: the arguments and the line of JSON that clients/README.md
// asks for.
package contract

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Run is the arguments, and what came of the messages. Any goroutine may report.
type Run struct {
	Bootstrap, Topic, Mode string

	client, module              string
	producers, messages, atOnce int
	start                       time.Time

	lock         sync.Mutex
	acknowledged int
	failed       map[string]string
	retried      *int
}

// New reads the arguments. module is the library's path; its version is read from what was linked.
func New(client, module string) *Run {
	if len(os.Args) != 7 {
		fmt.Fprintln(os.Stderr, "usage: BOOTSTRAP TOPIC PRODUCERS MESSAGES AT_ONCE MODE")
		os.Exit(2)
	}
	return &Run{
		Bootstrap: os.Args[1], Topic: os.Args[2], Mode: os.Args[6],
		client: client, module: module,
		producers: number(os.Args[3]), messages: number(os.Args[4]), atOnce: number(os.Args[5]),
		start: time.Now(), failed: map[string]string{},
	}
}

func number(argument string) int {
	n, err := strconv.Atoi(argument)
	if err != nil || n < 1 {
		fmt.Fprintln(os.Stderr, argument+" is no number above 0")
		os.Exit(2)
	}
	return n
}

// Acknowledged counts one message.
func (r *Run) Acknowledged() {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.acknowledged++
}

// Retried adds to what the library says it sent again.
func (r *Run) Retried(messages int) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.retried == nil {
		r.retried = new(int)
	}
	*r.retried += messages
}

// Failed notes a message, or what else went wrong.
func (r *Run) Failed(message string, err error) {
	text := err.Error()
	if len(text) > 200 {
		text = text[:200]
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	r.failed[message] = text
}

// Values are the messages of one producer.
func (r *Run) Values(producer int) []string {
	return values(producer, 0, r.messages)
}

func values(producer, from, to int) []string {
	var all []string
	for i := from; i < to; i++ {
		all = append(all, fmt.Sprintf("%d:%d", producer, i))
	}
	return all
}

// Transaction is the messages of one, and whether it is to be committed.
type Transaction struct {
	Values  []string
	Commits bool
}

// Transactions are the four of one producer.
func (r *Run) Transactions(producer int) []Transaction {
	half := r.messages / 2
	return []Transaction{
		{values(producer, r.messages, r.messages+half), false},
		{values(producer, 0, half), true},
		{values(producer, r.messages+half, 2*r.messages), false},
		{values(producer, half, r.messages), true},
	}
}

// Each calls one for each producer, as many at once as the arguments ask for, and prints the result.
func (r *Run) Each(one func(producer int) error) {
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range r.atOnce {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for n := range numbers {
				if err := one(n); err != nil {
					r.Failed(fmt.Sprintf("%d:run", n), err)
				}
			}
		}()
	}
	for n := range r.producers {
		numbers <- n
	}
	close(numbers)
	workers.Wait()
	r.report()
}

func (r *Run) report() {
	line, err := json.Marshal(map[string]any{
		"client": r.client, "version": r.version(), "acknowledged": r.acknowledged, "failed": r.failed,
		"retried": r.retried, "seconds": float64(time.Since(r.start).Milliseconds()) / 1000,
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
}

func (r *Run) version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == r.module {
			return strings.TrimPrefix(module.Version, "v")
		}
	}
	panic(r.module + " is not linked")
}
