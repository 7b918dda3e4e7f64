// Many producers of franz-go, as clients/README.md asks of each program.
package main

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
	"tollgate/clients/contract"
)

func main() {
	run := contract.New("franz-go", "github.com/twmb/franz-go")
	run.Each(func(producer int) error {
		options := []kgo.Opt{
			kgo.SeedBrokers(run.Bootstrap),
			kgo.DefaultProduceTopic(run.Topic),
			kgo.RecordPartitioner(kgo.ManualPartitioner()),
			// Small batches and several under way at once, as with a busy producer.
			kgo.ProducerLinger(0),
			kgo.ProducerBatchMaxBytes(1 << 10),
		}
		switch run.Mode {
		case "transactions":
			options = append(options, kgo.TransactionalID(fmt.Sprintf("%s-%d", run.Topic, producer)))
		case "acks0":
			options = append(options, kgo.DisableIdempotentWrite(), kgo.RequiredAcks(kgo.NoAck()))
		case "acks1":
			options = append(options, kgo.DisableIdempotentWrite(), kgo.RequiredAcks(kgo.LeaderAck()))
		}
		client, err := kgo.NewClient(options...)
		if err != nil {
			return err
		}
		defer client.Close()
		if run.Mode == "transactions" {
			return transact(run, client, producer)
		}
		return send(run, client, run.Values(producer), true)
	})
}

func send(run *contract.Run, client *kgo.Client, values []string, counts bool) error {
	for _, value := range values {
		client.Produce(context.Background(), &kgo.Record{Value: []byte(value)}, func(_ *kgo.Record, err error) {
			if err != nil {
				run.Failed(value, err)
			} else if counts {
				run.Acknowledged()
			}
		})
	}
	return client.Flush(context.Background())
}

func transact(run *contract.Run, client *kgo.Client, producer int) error {
	for _, transaction := range run.Transactions(producer) {
		if err := client.BeginTransaction(); err != nil {
			return err
		}
		if err := send(run, client, transaction.Values, transaction.Commits); err != nil {
			return err
		}
		if err := client.EndTransaction(context.Background(), kgo.TransactionEndTry(transaction.Commits)); err != nil {
			return err
		}
	}
	return nil
}
