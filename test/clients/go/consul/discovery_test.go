package consul

import (
	"context"
	"testing"
	"time"

	"github.com/hashicorp/consul/api"
	kv "github.com/kvtools/consul"
	"github.com/kvtools/valkeyrie/store"

	"infra-understudy/test/clients/understudy"
)

// TestDiscovery follows services as a monitoring server does: with a blocking read of the list of
// services, and another one of the instances of each service.
func TestDiscovery(t *testing.T) {
	client, _ := connect(t)
	type change struct {
		service   string
		instances int
	}
	changes := make(chan change, 100)
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	options := func(index uint64) *api.QueryOptions {
		query := &api.QueryOptions{WaitIndex: index, WaitTime: time.Minute, AllowStale: true}
		return query.WithContext(ctx)
	}
	follow := func(service string) {
		for index := uint64(0); ; {
			entries, meta, err := client.Health().ServiceMultipleTags(service, nil, false, options(index))
			if err != nil {
				return
			}
			if meta.LastIndex != index {
				index = meta.LastIndex
				changes <- change{service, len(entries)}
			}
		}
	}
	go func() {
		known := map[string]bool{}
		for index := uint64(0); ; {
			services, meta, err := client.Catalog().Services(options(index))
			if err != nil {
				return
			}
			index = meta.LastIndex
			for service := range services {
				if !known[service] {
					known[service] = true
					go follow(service)
				}
			}
		}
	}()
	await := func(service string, instances int) {
		t.Helper()
		for late := time.After(10 * time.Second); ; {
			select {
			case seen := <-changes:
				if seen == (change{service, instances}) {
					return
				}
			case <-late:
				t.Fatalf("never saw %d instances of %s", instances, service)
			}
		}
	}
	await("consul", 1)
	register := func(id string) {
		must(t, client.Agent().ServiceRegister(&api.AgentServiceRegistration{ID: id, Name: "web"}))
	}
	register("w1")
	await("web", 1)
	register("w2")
	await("web", 2)
	must(t, client.Agent().ServiceDeregister("w1"))
	await("web", 1)
}

// TestClusterStore uses the mesh as the store of a cluster manager: keys with a time to live, trees
// with watchers, and a lock that another candidate takes over.
func TestClusterStore(t *testing.T) {
	mesh := understudy.NewMeshWorld(t).Services.Mesh
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(stop)
	config := &kv.Config{ConnectionTimeout: 10 * time.Second, Token: mesh.Token}
	members, err := kv.New(ctx, []string{mesh.URL}, config)
	must(t, err)
	tree, err := members.WatchTree(ctx, "members", nil)
	must(t, err)
	must(t, members.Put(ctx, "members/one", []byte("10.0.0.1"), &store.WriteOptions{TTL: 20 * time.Second}))
	for pairs := range tree {
		if len(pairs) == 1 {
			break
		}
	}
	pair, err := members.Get(ctx, "members/one", nil)
	must(t, err)
	done, pair, err := members.AtomicPut(ctx, "members/two", []byte("10.0.0.2"), nil, nil)
	must(t, err)
	understudy.Is(t, "made", done, true)
	_, _, err = members.AtomicPut(ctx, "members/two", []byte("x"), nil, nil)
	understudy.Is(t, "made again", err, store.ErrKeyExists)
	done, err = members.AtomicDelete(ctx, "members/two", pair)
	must(t, err)
	understudy.Is(t, "deleted", done, true)
	first, err := members.NewLock(ctx, "leader", &store.LockOptions{Value: []byte("one")})
	must(t, err)
	second, err := members.NewLock(ctx, "leader", &store.LockOptions{Value: []byte("two")})
	must(t, err)
	_, err = first.Lock(ctx)
	must(t, err)
	leads := make(chan error)
	go func() {
		_, err := second.Lock(ctx)
		leads <- err
	}()
	must(t, first.Unlock(ctx))
	must(t, <-leads)
	pair, err = members.Get(ctx, "leader", nil)
	must(t, err)
	understudy.Is(t, "leader", string(pair.Value), "two")
}
