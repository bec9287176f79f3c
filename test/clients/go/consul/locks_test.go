package consul

import (
	"testing"
	"time"

	"github.com/hashicorp/consul/api"

	"infra-understudy/test/clients/understudy"
)

func TestSessions(t *testing.T) {
	client, _ := connect(t)
	sessions := client.Session()
	id, _, err := sessions.Create(&api.SessionEntry{Name: "ours", TTL: "10s", Behavior: api.SessionBehaviorDelete}, nil)
	must(t, err)
	read, _, err := sessions.Info(id, nil)
	must(t, err)
	understudy.Is(t, "TTL", read.TTL, "10s")
	understudy.Is(t, "lock delay", read.LockDelay, 15*time.Second)
	list, _, err := sessions.List(nil)
	must(t, err)
	understudy.Is(t, "number", len(list), 1)
	read, _, err = sessions.Renew(id, nil)
	must(t, err)
	understudy.Is(t, "renewed", read.ID, id)
	done, _, err := client.KV().Acquire(&api.KVPair{Key: "a", Session: id}, nil)
	must(t, err)
	understudy.Is(t, "acquired", done, true)
	_, err = sessions.Destroy(id, nil)
	must(t, err)
	pair, _, err := client.KV().Get("a", nil)
	must(t, err)
	if pair != nil {
		t.Fatalf("%+v", pair)
	}
	gone, _, err := sessions.Renew(id, nil)
	must(t, err)
	if gone != nil {
		t.Fatalf("%+v", gone)
	}
}

func TestLock(t *testing.T) {
	client, _ := connect(t)
	first, err := client.LockKey("locks/one")
	must(t, err)
	lost, err := first.Lock(nil)
	must(t, err)
	if lost == nil {
		t.Fatal("the lock is not held")
	}
	second, err := client.LockOpts(&api.LockOptions{Key: "locks/one", LockTryOnce: true, LockWaitTime: 50 * time.Millisecond})
	must(t, err)
	none, err := second.Lock(nil)
	must(t, err)
	if none != nil {
		t.Fatal("two hold the lock")
	}
	must(t, first.Unlock())
	held, err := second.Lock(nil)
	must(t, err)
	pair, _, err := client.KV().Get("locks/one", nil)
	must(t, err)
	_, err = client.Session().Destroy(pair.Session, nil)
	must(t, err)
	select {
	case <-held:
	case <-time.After(10 * time.Second):
		t.Fatal("nobody told that the lock is lost")
	}
}

func TestSemaphore(t *testing.T) {
	client, _ := connect(t)
	options := func() *api.SemaphoreOptions {
		return &api.SemaphoreOptions{Prefix: "sem", Limit: 1, SemaphoreTryOnce: true, SemaphoreWaitTime: 50 * time.Millisecond}
	}
	first, err := client.SemaphoreOpts(options())
	must(t, err)
	second, err := client.SemaphoreOpts(options())
	must(t, err)
	held, err := first.Acquire(nil)
	must(t, err)
	if held == nil {
		t.Fatal("the semaphore is not held")
	}
	none, err := second.Acquire(nil)
	must(t, err)
	if none != nil {
		t.Fatal("two hold a semaphore of one")
	}
	must(t, first.Release())
	held, err = second.Acquire(nil)
	must(t, err)
	if held == nil {
		t.Fatal("the semaphore is not held")
	}
	must(t, second.Release())
	must(t, second.Destroy())
}

func TestTransactions(t *testing.T) {
	client, _ := connect(t)
	done, reply, _, err := client.KV().Txn(api.KVTxnOps{
		{Verb: api.KVSet, Key: "a", Value: []byte("1")},
		{Verb: api.KVGet, Key: "a"},
	}, nil)
	must(t, err)
	understudy.Is(t, "done", done, true)
	understudy.Is(t, "value", string(reply.Results[1].Value), "1")
	done, reply, _, err = client.KV().Txn(api.KVTxnOps{
		{Verb: api.KVSet, Key: "b"},
		{Verb: api.KVCAS, Key: "a", Index: 1},
	}, nil)
	must(t, err)
	understudy.Is(t, "done", done, false)
	understudy.Is(t, "failure", reply.Errors[0].What, `failed to set key "a", index is stale`)
}

func TestServerItself(t *testing.T) {
	client, _ := connect(t)
	leader, err := client.Status().Leader()
	must(t, err)
	understudy.Is(t, "leader", leader, "127.0.0.1:8300")
	name, err := client.Agent().NodeName()
	must(t, err)
	members, err := client.Agent().Members(false)
	must(t, err)
	understudy.Is(t, "member", members[0].Name, name)
	nodes, _, err := client.Health().Service("consul", "", true, nil)
	must(t, err)
	understudy.Is(t, "node", nodes[0].Node.Node, name)
	raft, err := client.Operator().RaftGetConfiguration(nil)
	must(t, err)
	understudy.Is(t, "raft leader", raft.Servers[0].Leader, true)
}
