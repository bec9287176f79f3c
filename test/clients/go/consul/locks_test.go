package consul

import (
	"testing"
	"time"

	"github.com/hashicorp/consul/api"
)

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
