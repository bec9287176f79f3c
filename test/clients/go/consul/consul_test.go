// Tests of the official client of the service mesh, one per capability.
package consul

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/consul/api"

	"infra-understudy/test/clients/understudy"
)

var must = understudy.Must

func connect(t *testing.T) (*api.Client, understudy.World) {
	t.Helper()
	world := understudy.NewWorld(t, "{}")
	config := api.DefaultConfig()
	config.Address = world.Services.Mesh.Origin()
	config.Token = world.Services.Mesh.Token
	config.PathPrefix = ""
	client, err := api.NewClient(config)
	must(t, err)
	client.SetHeaders(headers(world))
	return client, world
}

func headers(world understudy.World) http.Header { return world.Header() }

// refused fails the test unless the error is a refusal with this status.
func refused(t *testing.T, err error, status string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), status) {
		t.Fatalf("expected a refusal with %s, got %v", status, err)
	}
}

func TestNamespaces(t *testing.T) {
	client, _ := connect(t)
	namespaces := client.Namespaces()
	made, _, err := namespaces.Create(&api.Namespace{Name: "team", Description: "ours", Meta: map[string]string{"a": "1"}}, nil)
	must(t, err)
	understudy.Is(t, "description", made.Description, "ours")
	made.Description = "theirs"
	made, _, err = namespaces.Update(made, nil)
	must(t, err)
	understudy.Is(t, "description", made.Description, "theirs")
	read, meta, err := namespaces.Read("team", nil)
	must(t, err)
	understudy.Is(t, "meta", read.Meta["a"], "1")
	if meta.LastIndex == 0 || !meta.KnownLeader {
		t.Fatalf("%+v", meta)
	}
	list, _, err := namespaces.List(nil)
	must(t, err)
	understudy.Is(t, "number", len(list), 2)
	_, err = namespaces.Delete("team", nil)
	must(t, err)
	absent, _, err := namespaces.Read("nobody", nil)
	must(t, err)
	if absent != nil {
		t.Fatalf("%+v", absent)
	}
}

func TestBlockingQuery(t *testing.T) {
	client, _ := connect(t)
	_, meta, err := client.Namespaces().List(nil)
	must(t, err)
	woken := make(chan uint64)
	go func() {
		_, next, err := client.Namespaces().List(&api.QueryOptions{WaitIndex: meta.LastIndex, WaitTime: time.Minute})
		if err != nil {
			t.Error(err)
			close(woken)
			return
		}
		woken <- next.LastIndex
	}()
	_, _, err = client.Namespaces().Create(&api.Namespace{Name: "team"}, nil)
	must(t, err)
	if index := <-woken; index <= meta.LastIndex {
		t.Fatalf("woke at %d after %d", index, meta.LastIndex)
	}
}

func TestKV(t *testing.T) {
	client, _ := connect(t)
	kv := client.KV()
	_, err := kv.Put(&api.KVPair{Key: "app/a", Value: []byte("1"), Flags: 42}, nil)
	must(t, err)
	pair, _, err := kv.Get("app/a", nil)
	must(t, err)
	understudy.Is(t, "value", string(pair.Value), "1")
	understudy.Is(t, "flags", pair.Flags, 42)
	absent, _, err := kv.Get("app/none", nil)
	must(t, err)
	if absent != nil {
		t.Fatalf("%+v", absent)
	}
	_, err = kv.Put(&api.KVPair{Key: "app/b/c", Value: nil}, nil)
	must(t, err)
	pairs, _, err := kv.List("app/", nil)
	must(t, err)
	understudy.Is(t, "number", len(pairs), 2)
	keys, _, err := kv.Keys("app/", "/", nil)
	must(t, err)
	understudy.Is(t, "keys", strings.Join(keys, " "), "app/a app/b/")
	_, err = kv.Delete("app/a", nil)
	must(t, err)
	_, err = kv.DeleteTree("app/", nil)
	must(t, err)
}

func TestKVCheckAndSet(t *testing.T) {
	client, _ := connect(t)
	kv := client.KV()
	done, _, err := kv.CAS(&api.KVPair{Key: "a", Value: []byte("1"), ModifyIndex: 0}, nil)
	must(t, err)
	understudy.Is(t, "made", done, true)
	done, _, err = kv.CAS(&api.KVPair{Key: "a", Value: []byte("2"), ModifyIndex: 0}, nil)
	must(t, err)
	understudy.Is(t, "made again", done, false)
	pair, _, err := kv.Get("a", nil)
	must(t, err)
	done, _, err = kv.DeleteCAS(pair, nil)
	must(t, err)
	understudy.Is(t, "deleted", done, true)
}

func TestACL(t *testing.T) {
	client, world := connect(t)
	acl := client.ACL()
	policy, _, err := acl.PolicyCreate(&api.ACLPolicy{Name: "reader", Rules: `key_prefix "app/" { policy = "read" }`}, nil)
	must(t, err)
	byName, _, err := acl.PolicyReadByName("reader", nil)
	must(t, err)
	understudy.Is(t, "id", byName.ID, policy.ID)
	role, _, err := acl.RoleCreate(&api.ACLRole{Name: "readers", Policies: []*api.ACLRolePolicyLink{{ID: policy.ID}}}, nil)
	must(t, err)
	roles, _, err := acl.RoleList(nil)
	must(t, err)
	understudy.Is(t, "roles", len(roles), 1)
	token, _, err := acl.TokenCreate(&api.ACLToken{Description: "ci", Roles: []*api.ACLTokenRoleLink{{ID: role.ID}}}, nil)
	must(t, err)
	tokens, _, err := acl.TokenList(nil)
	must(t, err)
	if len(tokens) < 2 {
		t.Fatalf("%v", tokens)
	}
	config := api.DefaultConfig()
	config.Address, config.Token = world.Services.Mesh.Origin(), token.SecretID
	reader, err := api.NewClient(config)
	must(t, err)
	reader.SetHeaders(headers(world))
	self, _, err := reader.ACL().TokenReadSelf(nil)
	must(t, err)
	understudy.Is(t, "accessor", self.AccessorID, token.AccessorID)
	_, err = reader.KV().Put(&api.KVPair{Key: "app/a"}, nil)
	refused(t, err, "403")
	_, _, err = reader.KV().Get("app/a", nil)
	must(t, err)
	token.Description = "changed"
	token, _, err = acl.TokenUpdate(token, nil)
	must(t, err)
	understudy.Is(t, "description", token.Description, "changed")
	_, err = acl.TokenDelete(token.AccessorID, nil)
	must(t, err)
	_, err = acl.RoleDelete(role.ID, nil)
	must(t, err)
	_, err = acl.PolicyDelete(policy.ID, nil)
	must(t, err)
}

func TestSessionsAndLocks(t *testing.T) {
	client, _ := connect(t)
	id, _, err := client.Session().Create(&api.SessionEntry{Name: "mine", TTL: "30s", Behavior: api.SessionBehaviorRelease}, nil)
	must(t, err)
	locked, _, err := client.KV().Acquire(&api.KVPair{Key: "lock", Session: id}, nil)
	must(t, err)
	understudy.Is(t, "locked", locked, true)
	other, _, err := client.Session().Create(&api.SessionEntry{Name: "other"}, nil)
	must(t, err)
	locked, _, err = client.KV().Acquire(&api.KVPair{Key: "lock", Session: other}, nil)
	must(t, err)
	understudy.Is(t, "locked by another", locked, false)
	_, _, err = client.Session().Renew(id, nil)
	must(t, err)
	info, _, err := client.Session().Info(id, nil)
	must(t, err)
	understudy.Is(t, "name", info.Name, "mine")
	list, _, err := client.Session().List(nil)
	must(t, err)
	understudy.Is(t, "number", len(list), 2)
	released, _, err := client.KV().Release(&api.KVPair{Key: "lock", Session: id}, nil)
	must(t, err)
	understudy.Is(t, "released", released, true)
	_, err = client.Session().Destroy(id, nil)
	must(t, err)
}

func TestTransactions(t *testing.T) {
	client, _ := connect(t)
	done, reply, _, err := client.Txn().Txn(api.TxnOps{
		{KV: &api.KVTxnOp{Verb: api.KVSet, Key: "a", Value: []byte("1")}},
		{KV: &api.KVTxnOp{Verb: api.KVGet, Key: "a"}},
	}, nil)
	must(t, err)
	understudy.Is(t, "done", done, true)
	understudy.Is(t, "value", string(reply.Results[1].KV.Value), "1")
	done, reply, _, err = client.Txn().Txn(api.TxnOps{
		{KV: &api.KVTxnOp{Verb: api.KVSet, Key: "b", Value: []byte("1")}},
		{KV: &api.KVTxnOp{Verb: api.KVGet, Key: "none"}},
	}, nil)
	must(t, err)
	understudy.Is(t, "done", done, false)
	understudy.Is(t, "operation that failed", reply.Errors[0].OpIndex, 1)
}

func TestAgentCatalogAndStatus(t *testing.T) {
	client, _ := connect(t)
	leader, err := client.Status().Leader()
	must(t, err)
	understudy.Is(t, "has a leader", leader != "", true)
	self, err := client.Agent().Self()
	must(t, err)
	name, _ := self["Config"]["NodeName"].(string)
	members, err := client.Agent().Members(false)
	must(t, err)
	understudy.Is(t, "member", members[0].Name, name)
	nodes, _, err := client.Catalog().Nodes(nil)
	must(t, err)
	understudy.Is(t, "node", nodes[0].Node, name)
	services, _, err := client.Catalog().Services(nil)
	must(t, err)
	if services["consul"] == nil {
		t.Fatalf("%v", services)
	}
	checks, _, err := client.Health().Node(name, nil)
	must(t, err)
	understudy.Is(t, "status", checks.AggregatedStatus(), api.HealthPassing)
	instances, _, err := client.Health().Service("consul", "", true, nil)
	must(t, err)
	understudy.Is(t, "instances", len(instances), 1)
}
