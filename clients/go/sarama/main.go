// Many producers of sarama, as clients/README.md asks of each program.
package main

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/IBM/sarama"
	"tollgate/clients/contract"
)

func main() {
	run := contract.New("sarama", "github.com/IBM/sarama")
	run.Each(func(producer int) error {
		config := sarama.NewConfig()
		config.Producer.Partitioner = sarama.NewManualPartitioner
		config.Producer.Return.Successes = true
		// Small batches, as with a busy producer. Sarama allows an idempotent one no second request under way.
		config.Producer.Flush.MaxMessages = 1
		config.Producer.Idempotent = true
		config.Producer.RequiredAcks = sarama.WaitForAll
		config.Net.MaxOpenRequests = 1
		switch run.Mode {
		case "advised":
			advise(config)
		case "transactions":
			advise(config)
			config.Producer.Transaction.ID = fmt.Sprintf("%s-%d", run.Topic, producer)
		case "acks0":
			config.Producer.Idempotent = false
			config.Producer.RequiredAcks = sarama.NoResponse
		case "acks1":
			config.Producer.Idempotent = false
			config.Producer.RequiredAcks = sarama.WaitForLocal
		}
		async, err := sarama.NewAsyncProducer([]string{run.Bootstrap}, config)
		if err != nil {
			return err
		}
		defer async.AsyncClose()
		if run.Mode == "transactions" {
			return transact(run, async, producer)
		}
		return send(run, async, run.Values(producer), true)
	})
}

// The default is three tries, a tenth of a second apart. Each partition takes memory in proportion to Max.
func advise(config *sarama.Config) {
	config.Producer.Retry.Max = 1000
}

func send(run *contract.Run, async sarama.AsyncProducer, values []string, counts bool) error {
	var sender sync.WaitGroup
	sender.Add(1)
	go func() {
		defer sender.Done()
		for _, value := range values {
			async.Input() <- &sarama.ProducerMessage{Topic: run.Topic, Value: sarama.StringEncoder(value), Metadata: value}
		}
	}()
	// It can keep messages for ever, neither delivered nor failed: after its transaction has timed out, for one.
	enough := time.After(5 * time.Minute)
	missing := map[string]bool{}
	for _, value := range values {
		missing[value] = true
	}
	for len(missing) > 0 {
		select {
		case <-enough:
			for value := range missing {
				run.Failed(value, errors.New("neither delivered nor failed"))
			}
			return errors.New("not ended after five minutes")
		case success := <-async.Successes():
			delete(missing, success.Metadata.(string))
			if counts {
				run.Acknowledged()
			}
		case failure := <-async.Errors():
			delete(missing, failure.Msg.Metadata.(string))
			err := failure.Err
			var code sarama.KError
			if errors.As(err, &code) {
				err = fmt.Errorf("KError %d", int16(code))
			}
			run.Failed(failure.Msg.Metadata.(string), err)
		}
	}
	sender.Wait()
	return nil
}

func transact(run *contract.Run, async sarama.AsyncProducer, producer int) error {
	for _, transaction := range run.Transactions(producer) {
		if err := async.BeginTxn(); err != nil {
			return err
		}
		if err := send(run, async, transaction.Values, transaction.Commits); err != nil {
			return err
		}
		end := async.AbortTxn
		if transaction.Commits {
			end = async.CommitTxn
		}
		if err := end(); err != nil {
			return err
		}
	}
	return nil
}
