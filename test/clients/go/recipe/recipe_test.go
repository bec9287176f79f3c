package recipe

// Tests of the helpers in docs/recipes/understudy_test.go, which test/clients/go.ts copies to this directory.

import (
	"context"
	"testing"

	consul "github.com/hashicorp/consul/api"
	"github.com/hashicorp/go-tfe"
	nomad "github.com/hashicorp/nomad/api"
	vault "github.com/hashicorp/vault/api"

	"infra-understudy/test/clients/understudy"
)

var (
	ctx  = context.Background()
	must = understudy.Must
)

// TestRecipeGivesEveryClientItsEnvironment finds all four services by environment variables only.
func TestRecipeGivesEveryClientItsEnvironment(t *testing.T) {
	world := NewWorld(t, `{"options": {"mesh": {"aclEnabled": true}, "scheduler": {"aclEnabled": true}}}`)
	world.Setenv(t)

	secrets, err := vault.NewClient(nil)
	must(t, err)
	_, err = secrets.KVv2("secret").Put(ctx, "app", map[string]any{"user": "ada"})
	must(t, err)
	read, err := secrets.KVv2("secret").Get(ctx, "app")
	must(t, err)
	understudy.Is(t, "the user", read.Data["user"], any("ada"))
	understudy.Is(t, "requests", len(world.Requests(t, `{"path": "/v1/secret/data/app"}`)), 2)

	mesh, err := consul.NewClient(consul.DefaultConfig())
	must(t, err)
	_, err = mesh.KV().Put(&consul.KVPair{Key: "a", Value: []byte("1")}, nil)
	must(t, err)

	scheduler, err := nomad.NewClient(nomad.DefaultConfig())
	must(t, err)
	jobs, _, err := scheduler.Jobs().List(nil)
	must(t, err)
	understudy.Is(t, "jobs", len(jobs), 0)

	platform, err := tfe.NewClient(nil)
	must(t, err)
	_, err = platform.Users.ReadCurrent(ctx)
	must(t, err)
}

func TestRecipeBreaksAndMovesOn(t *testing.T) {
	world := NewWorld(t, `{}`)
	world.Setenv(t)
	world.Load(t, `{"secrets": {"kv": {"secret": {"app": {"user": "ada"}}}}}`)
	client, err := vault.NewClient(nil)
	must(t, err)
	client.SetMaxRetries(0)
	_, err = client.KVv2("secret").Get(ctx, "app")
	must(t, err)

	made, err := client.Auth().Token().Create(&vault.TokenCreateRequest{TTL: "1h"})
	must(t, err)
	world.Advance(t, "1h")
	client.SetToken(made.Auth.ClientToken)
	if _, err = client.Auth().Token().LookupSelf(); err == nil {
		t.Fatal("the token outlives its hour")
	}
	world.Fault(t, "secrets-sealed", "{}")
	health, err := client.Sys().Health()
	must(t, err)
	understudy.Is(t, "sealed", health.Sealed, true)
}

// TestRecipeInParallel uses two worlds in parallel, each with its own client.
func TestRecipeInParallel(t *testing.T) {
	for _, name := range []string{"one", "other"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			world := NewWorld(t, `{}`)
			config := consul.DefaultConfig()
			config.Address, config.Token = world.Env["CONSUL_HTTP_ADDR"], world.Env["CONSUL_HTTP_TOKEN"]
			client, err := consul.NewClient(config)
			must(t, err)
			done, _, err := client.KV().CAS(&consul.KVPair{Key: "mine", Value: []byte(name)}, nil)
			must(t, err)
			understudy.Is(t, "the key is free", done, true)
		})
	}
}
