package consul

import (
	"testing"
	"time"

	"github.com/hashicorp/consul/api"

	"infra-understudy/test/clients/understudy"
)

// healthy returns the IDs of the instances of a service whose checks all pass.
func healthy(t *testing.T, client *api.Client, query *api.QueryOptions) ([]string, uint64) {
	t.Helper()
	entries, meta, err := client.Health().Service("web", "", true, query)
	must(t, err)
	ids := []string{}
	for _, entry := range entries {
		ids = append(ids, entry.Service.ID)
	}
	return ids, meta.LastIndex
}

func TestServicesAndChecks(t *testing.T) {
	client, world := connect(t)
	agent := client.Agent()
	for _, id := range []string{"w1", "w2"} {
		must(t, agent.ServiceRegister(&api.AgentServiceRegistration{
			ID: id, Name: "web", Port: 80, Tags: []string{"a"},
			Check: &api.AgentServiceCheck{TTL: "30s", Status: api.HealthPassing},
		}))
	}
	services, err := agent.ServicesWithFilter(`Service == "web" and "a" in Tags`)
	must(t, err)
	understudy.Is(t, "services", len(services), 2)
	ids, index := healthy(t, client, nil)
	understudy.Is(t, "healthy", len(ids), 2)
	woken := make(chan []string)
	go func() {
		late, _ := healthy(t, client, &api.QueryOptions{WaitIndex: index, WaitTime: time.Minute})
		woken <- late
	}()
	world.Advance(t, "20s")
	must(t, agent.UpdateTTL("service:w2", "alive", api.HealthPassing))
	world.Advance(t, "20s")
	<-woken
	ids, _ = healthy(t, client, nil)
	understudy.Is(t, "healthy", len(ids), 1)
	understudy.Is(t, "healthy", ids[0], "w2")
	must(t, agent.EnableServiceMaintenance("w2", "upgrade"))
	status, _, err := agent.AgentHealthServiceByID("w2")
	must(t, err)
	understudy.Is(t, "status", status, api.HealthCritical)
	must(t, agent.DisableServiceMaintenance("w2"))
	must(t, agent.ServiceDeregister("w1"))
	must(t, agent.CheckRegister(&api.AgentCheckRegistration{
		Name: "disk", AgentServiceCheck: api.AgentServiceCheck{TTL: "1h"},
	}))
	checks, err := agent.Checks()
	must(t, err)
	understudy.Is(t, "check", checks["disk"].Status, api.HealthCritical)
	ids, _ = healthy(t, client, nil)
	understudy.Is(t, "healthy", len(ids), 0)
}

func TestCatalogTransactions(t *testing.T) {
	client, _ := connect(t)
	done, reply, _, err := client.Txn().Txn(api.TxnOps{
		{Node: &api.NodeTxnOp{Verb: api.NodeSet, Node: api.Node{Node: "n1", Address: "10.0.0.1"}}},
		{Service: &api.ServiceTxnOp{
			Verb: api.ServiceSet, Node: "n1", Service: api.AgentService{ID: "w1", Service: "web", Port: 80},
		}},
		{Check: &api.CheckTxnOp{Verb: api.CheckSet, Check: api.HealthCheck{
			Node: "n1", CheckID: "up", Name: "up", Status: api.HealthPassing, ServiceID: "w1", ServiceName: "web",
		}}},
	}, nil)
	must(t, err)
	understudy.Is(t, "done", done, true)
	understudy.Is(t, "results", len(reply.Results), 3)
	ids, _ := healthy(t, client, nil)
	understudy.Is(t, "healthy", ids[0], "w1")
	node := *reply.Results[0].Node
	node.ModifyIndex = 1
	done, reply, _, err = client.Txn().Txn(api.TxnOps{
		{Node: &api.NodeTxnOp{Verb: api.NodeDeleteCAS, Node: node}},
	}, nil)
	must(t, err)
	understudy.Is(t, "done", done, false)
	understudy.Is(t, "failure", reply.Errors[0].What, `failed to delete node "n1", index is stale`)
}

func TestSessionsOnChecks(t *testing.T) {
	client, _ := connect(t)
	must(t, client.Agent().ServiceRegister(&api.AgentServiceRegistration{
		Name: "web", Check: &api.AgentServiceCheck{TTL: "1h", Status: api.HealthPassing},
	}))
	id, _, err := client.Session().Create(&api.SessionEntry{
		ServiceChecks: []api.ServiceCheck{{ID: "service:web"}}, LockDelay: time.Millisecond,
	}, nil)
	must(t, err)
	held, _, err := client.KV().Acquire(&api.KVPair{Key: "leader", Session: id}, nil)
	must(t, err)
	understudy.Is(t, "held", held, true)
	must(t, client.Agent().UpdateTTL("service:web", "", api.HealthCritical))
	pair, _, err := client.KV().Get("leader", nil)
	must(t, err)
	understudy.Is(t, "session", pair.Session, "")
}

func TestEvents(t *testing.T) {
	client, _ := connect(t)
	id, _, err := client.Event().Fire(&api.UserEvent{Name: "deploy", Payload: []byte("v2")}, nil)
	must(t, err)
	events, _, err := client.Event().List("deploy", nil)
	must(t, err)
	understudy.Is(t, "event", events[0].ID, id)
	understudy.Is(t, "payload", string(events[0].Payload), "v2")
}
