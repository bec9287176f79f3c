// Package recipe is a suite whose seven tests fail, each with a cause that only the server knows.
package recipe

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// request sends a request, and fails the test unless the reply has a status below 300.
func request(t *testing.T, method, url, token, body string, reply any) http.Header {
	t.Helper()
	sent, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		sent.Header.Set("X-Vault-Token", token)
	}
	client := http.Client{Timeout: time.Second}
	response, err := client.Do(sent)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	if response.StatusCode >= 300 {
		t.Fatalf("the program ended with status %d", response.StatusCode)
	}
	if reply != nil {
		if err := json.Unmarshal(text, reply); err != nil {
			t.Fatal(err)
		}
	}
	return response.Header
}

// token creates a token of the secrets API.
func token(t *testing.T, world *World, body string) string {
	t.Helper()
	var reply struct {
		Auth struct {
			ClientToken string `json:"client_token"`
		}
	}
	request(t, "POST", world.Env["VAULT_ADDR"]+"/v1/auth/token/create", world.Env["VAULT_TOKEN"], body, &reply)
	return reply.Auth.ClientToken
}

func TestWrongCas(t *testing.T) {
	world := NewWorld(t, "{}")
	url, root := world.Env["VAULT_ADDR"]+"/v1/secret/data/app", world.Env["VAULT_TOKEN"]
	request(t, "POST", url, root, `{"data": {"color": "blue"}}`, nil)
	request(t, "POST", url, root, `{"data": {"color": "red"}, "options": {"cas": 0}}`, nil)
}

func TestExpiredToken(t *testing.T) {
	world := NewWorld(t, "{}")
	short := token(t, world, `{"ttl": "1m"}`)
	world.Advance(t, "2m")
	request(t, "GET", world.Env["VAULT_ADDR"]+"/v1/auth/token/lookup-self", short, "", nil)
}

func TestJobThatNeverRuns(t *testing.T) {
	world := NewWorld(t, "{}")
	job := `{"Job": {"ID": "web", "Name": "web", "Type": "service", "Datacenters": ["dc9"], "TaskGroups": [
		{"Name": "web", "Tasks": [{"Name": "web", "Driver": "docker", "Config": {"image": "web"}}]}]}}`
	request(t, "PUT", world.Env["NOMAD_ADDR"]+"/v1/jobs", "", job, nil)
	world.Advance(t, "10s")
	var allocations []any
	request(t, "GET", world.Env["NOMAD_ADDR"]+"/v1/job/web/allocations", "", "", &allocations)
	if len(allocations) == 0 {
		t.Fatal("the job does not run")
	}
}

func TestDeniedPath(t *testing.T) {
	world := NewWorld(t, "{}")
	policy := `{"policy": "path \"secret/data/app\" { capabilities = [\"read\"] }"}`
	request(t, "PUT", world.Env["VAULT_ADDR"]+"/v1/sys/policies/acl/app", world.Env["VAULT_TOKEN"], policy, nil)
	limited := token(t, world, `{"policies": ["app"]}`)
	request(t, "GET", world.Env["VAULT_ADDR"]+"/v1/secret/data/other", limited, "", nil)
}

func TestSealedNode(t *testing.T) {
	world := NewWorld(t, "{}")
	world.Fault(t, "secrets-sealed", "{}")
	request(t, "GET", world.Env["VAULT_ADDR"]+"/v1/secret/data/app", world.Env["VAULT_TOKEN"], "", nil)
}

func TestNothingArrived(t *testing.T) {
	NewWorld(t, "{}")
	request(t, "GET", "http://127.0.0.1:2/v1/secret/data/app", "", "", nil)
}

func TestHungBlockingRead(t *testing.T) {
	world := NewWorld(t, "{}")
	url := world.Env["CONSUL_HTTP_ADDR"] + "/v1/kv/lock"
	request(t, "PUT", url, "", "free", nil)
	index := request(t, "GET", url, "", "", nil).Get("X-Consul-Index")
	request(t, "GET", url+"?wait=5m&index="+index, "", "", nil)
}
