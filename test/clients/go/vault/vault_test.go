// Tests of the official client of the secrets service, one per capability.
package vault

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/vault/api"

	"infra-understudy/test/clients/understudy"
)

var (
	ctx  = context.Background()
	must = understudy.Must
)

func connect(t *testing.T, options string) (*api.Client, understudy.World) {
	t.Helper()
	world := understudy.NewWorld(t, options)
	config := api.DefaultConfig()
	config.Address = world.Services.Secrets.URL
	config.MaxRetries = 0
	client, err := api.NewClient(config)
	must(t, err)
	client.SetToken(world.Services.Secrets.Token)
	return client, world
}

// refused fails the test unless the error is a refusal with this status.
func refused(t *testing.T, err error, status int) {
	t.Helper()
	var response *api.ResponseError
	if !errors.As(err, &response) || response.StatusCode != status {
		t.Fatalf("expected a refusal with %d, got %v", status, err)
	}
}

func TestHealth(t *testing.T) {
	client, _ := connect(t, "{}")
	health, err := client.Sys().Health()
	must(t, err)
	if !health.Initialized || health.Sealed || health.Standby || health.Version == "" || health.ClusterID == "" {
		t.Fatalf("%+v", health)
	}
	leader, err := client.Sys().Leader()
	must(t, err)
	if leader.LeaderAddress == "" && leader.HAEnabled {
		t.Fatalf("%+v", leader)
	}
}

func TestMonitor(t *testing.T) {
	client, _ := connect(t, "{}")
	following, stop := context.WithTimeout(ctx, 30*time.Second)
	defer stop()
	lines, err := client.Sys().Monitor(following, "debug", "json")
	must(t, err)
	_, err = client.Sys().Health()
	must(t, err)
	var line struct {
		Level string `json:"@level"`
		Path  string `json:"request_path"`
	}
	for line.Path != "/v1/sys/health" {
		text, open := <-lines
		if !open {
			t.Fatal("the monitor has no line about the request")
		}
		must(t, json.Unmarshal([]byte(text), &line))
	}
	understudy.Is(t, "level", line.Level, "debug")
	_, err = client.Sys().Monitor(ctx, "haha", "")
	refused(t, err, 400)
}

func TestInitUnsealSeal(t *testing.T) {
	client, _ := connect(t, `{"secrets":{"initialized":false}}`)
	done, err := client.Sys().InitStatus()
	must(t, err)
	understudy.Is(t, "initialized", done, false)
	made, err := client.Sys().Init(&api.InitRequest{SecretShares: 3, SecretThreshold: 2})
	must(t, err)
	understudy.Is(t, "number of keys", len(made.KeysB64), 3)
	for _, key := range made.KeysB64[:2] {
		_, err = client.Sys().Unseal(key)
		must(t, err)
	}
	status, err := client.Sys().SealStatus()
	must(t, err)
	understudy.Is(t, "sealed", status.Sealed, false)
	client.SetToken(made.RootToken)
	_, err = client.Auth().Token().LookupSelf()
	must(t, err)
	must(t, client.Sys().Seal())
	status, err = client.Sys().SealStatus()
	must(t, err)
	understudy.Is(t, "sealed", status.Sealed, true)
	_, err = client.Auth().Token().LookupSelf()
	refused(t, err, 503)
}

func TestRekey(t *testing.T) {
	client, world := connect(t, "{}")
	status, err := client.Sys().RekeyInit(&api.RekeyInitRequest{SecretShares: 2, SecretThreshold: 2, RequireVerification: true})
	must(t, err)
	understudy.Is(t, "required", status.Required, world.Services.Secrets.Threshold)
	var update *api.RekeyUpdateResponse
	for _, key := range world.Services.Secrets.UnsealKeys[:status.Required] {
		update, err = client.Sys().RekeyUpdate(key, status.Nonce)
		must(t, err)
	}
	if !update.Complete || len(update.Keys) != 2 || !update.VerificationRequired {
		t.Fatalf("%+v", update)
	}
	var verified *api.RekeyVerificationUpdateResponse
	for _, key := range update.Keys {
		verified, err = client.Sys().RekeyVerificationUpdate(key, update.VerificationNonce)
		must(t, err)
	}
	understudy.Is(t, "complete", verified.Complete, true)
	status, err = client.Sys().RekeyStatus()
	must(t, err)
	understudy.Is(t, "started", status.Started, false)
}

func TestMounts(t *testing.T) {
	client, _ := connect(t, "{}")
	must(t, client.Sys().Mount("team", &api.MountInput{Type: "kv", Description: "ours", Options: map[string]string{"version": "1"}}))
	mounts, err := client.Sys().ListMounts()
	must(t, err)
	understudy.Is(t, "type", mounts["team/"].Type, "kv")
	understudy.Is(t, "description", mounts["team/"].Description, "ours")
	must(t, client.Sys().TuneMount("team", api.MountConfigInput{DefaultLeaseTTL: "1h", MaxLeaseTTL: "2h"}))
	config, err := client.Sys().MountConfig("team")
	must(t, err)
	understudy.Is(t, "default lease", config.DefaultLeaseTTL, 3600)
	must(t, client.Sys().Remount("team", "moved"))
	mounts, err = client.Sys().ListMounts()
	must(t, err)
	if mounts["team/"] != nil || mounts["moved/"] == nil {
		t.Fatalf("%v", mounts)
	}
	must(t, client.Sys().Unmount("moved"))
	must(t, client.Sys().EnableAuthWithOptions("cloud2", &api.EnableAuthOptions{Type: "oci"}))
	auth, err := client.Sys().ListAuth()
	must(t, err)
	understudy.Is(t, "type", auth["cloud2/"].Type, "oci")
	must(t, client.Sys().DisableAuth("cloud2"))
}

func TestKVv1(t *testing.T) {
	client, _ := connect(t, "{}")
	must(t, client.Sys().Mount("plain", &api.MountInput{Type: "kv"}))
	kv := client.KVv1("plain")
	must(t, kv.Put(ctx, "app", map[string]any{"a": "1"}))
	read, err := kv.Get(ctx, "app")
	must(t, err)
	understudy.Is(t, "a", read.Data["a"], any("1"))
	listed, err := client.Logical().List("plain/")
	must(t, err)
	understudy.Is(t, "first key", listed.Data["keys"].([]any)[0], any("app"))
	must(t, kv.Delete(ctx, "app"))
	_, err = kv.Get(ctx, "app")
	if !errors.Is(err, api.ErrSecretNotFound) {
		t.Fatal(err)
	}
}

func TestKVv2(t *testing.T) {
	client, _ := connect(t, "{}")
	kv := client.KVv2("secret")
	t.Run("write, read, check-and-set", func(t *testing.T) {
		made, err := kv.Put(ctx, "app", map[string]any{"a": "1"}, api.WithCheckAndSet(0))
		must(t, err)
		understudy.Is(t, "version", made.VersionMetadata.Version, 1)
		_, err = kv.Put(ctx, "app", map[string]any{"a": "2"}, api.WithCheckAndSet(0))
		refused(t, err, 400)
		_, err = kv.Put(ctx, "app", map[string]any{"a": "2"}, api.WithCheckAndSet(1))
		must(t, err)
		read, err := kv.GetVersion(ctx, "app", 1)
		must(t, err)
		understudy.Is(t, "a", read.Data["a"], any("1"))
	})
	t.Run("patch", func(t *testing.T) {
		_, err := kv.Patch(ctx, "app", map[string]any{"b": "3"}, api.WithMergeMethod(api.KVMergeMethodPatch))
		must(t, err)
		_, err = kv.Patch(ctx, "app", map[string]any{"c": "4"}, api.WithMergeMethod(api.KVMergeMethodReadWrite))
		must(t, err)
		read, err := kv.Get(ctx, "app")
		must(t, err)
		if read.Data["a"] != "2" || read.Data["b"] != "3" || read.Data["c"] != "4" {
			t.Fatalf("%v", read.Data)
		}
	})
	t.Run("metadata", func(t *testing.T) {
		must(t, kv.PutMetadata(ctx, "app", api.KVMetadataPutInput{MaxVersions: 7, CustomMetadata: map[string]any{"owner": "ada"}}))
		value := 8
		must(t, kv.PatchMetadata(ctx, "app", api.KVMetadataPatchInput{MaxVersions: &value, CustomMetadata: map[string]any{"team": "x"}}))
		metadata, err := kv.GetMetadata(ctx, "app")
		must(t, err)
		if metadata.MaxVersions != 8 || metadata.CustomMetadata["owner"] != "ada" || metadata.CustomMetadata["team"] != "x" {
			t.Fatalf("%+v", metadata)
		}
	})
	t.Run("delete, undelete, destroy", func(t *testing.T) {
		must(t, kv.Delete(ctx, "app"))
		must(t, kv.DeleteVersions(ctx, "app", []int{1, 2}))
		must(t, kv.Undelete(ctx, "app", []int{1, 4}))
		must(t, kv.Destroy(ctx, "app", []int{2}))
		versions, err := kv.GetVersionsAsList(ctx, "app")
		must(t, err)
		if !versions[1].Destroyed || versions[0].Destroyed || !versions[3].DeletionTime.IsZero() {
			t.Fatalf("%+v", versions)
		}
		read, err := kv.Rollback(ctx, "app", 1)
		must(t, err)
		understudy.Is(t, "version", read.VersionMetadata.Version, 5)
		must(t, kv.DeleteMetadata(ctx, "app"))
		_, err = kv.Get(ctx, "app")
		if !errors.Is(err, api.ErrSecretNotFound) {
			t.Fatal(err)
		}
	})
	t.Run("list", func(t *testing.T) {
		_, err := kv.Put(ctx, "a/b", map[string]any{})
		must(t, err)
		listed, err := client.Logical().List("secret/metadata")
		must(t, err)
		understudy.Is(t, "first key", listed.Data["keys"].([]any)[0], any("a/"))
	})
}

func TestPolicies(t *testing.T) {
	client, _ := connect(t, "{}")
	must(t, client.Sys().PutPolicy("reader", `path "secret/data/*" { capabilities = ["read"] }`))
	names, err := client.Sys().ListPolicies()
	must(t, err)
	understudy.Is(t, "listed", slices.Contains(names, "reader"), true)
	rules, err := client.Sys().GetPolicy("reader")
	must(t, err)
	understudy.Is(t, "rules", rules, `path "secret/data/*" { capabilities = ["read"] }`)
	made, err := client.Auth().Token().Create(&api.TokenCreateRequest{Policies: []string{"reader"}})
	must(t, err)
	can, err := client.Sys().Capabilities(made.Auth.ClientToken, "secret/data/a")
	must(t, err)
	understudy.Is(t, "capability", can[0], "read")
	client.SetToken(made.Auth.ClientToken)
	_, err = client.KVv2("secret").Put(ctx, "a", map[string]any{})
	refused(t, err, 403)
}

func TestTokens(t *testing.T) {
	client, _ := connect(t, "{}")
	renewable := true
	made, err := client.Auth().Token().Create(&api.TokenCreateRequest{
		DisplayName: "ada", TTL: "1h", Renewable: &renewable, Metadata: map[string]string{"team": "x"}, NumUses: 0,
	})
	must(t, err)
	token := made.Auth.ClientToken
	found, err := client.Auth().Token().Lookup(token)
	must(t, err)
	understudy.Is(t, "display name", found.Data["display_name"], any("token-ada"))
	byAccessor, err := client.Auth().Token().LookupAccessor(made.Auth.Accessor)
	must(t, err)
	ttl, err := byAccessor.TokenTTL()
	must(t, err)
	if ttl.Minutes() < 50 {
		t.Fatal(ttl)
	}
	renewed, err := client.Auth().Token().Renew(token, 7200)
	must(t, err)
	understudy.Is(t, "lease", renewed.Auth.LeaseDuration, 7200)
	orphan, err := client.Auth().Token().CreateOrphan(&api.TokenCreateRequest{})
	must(t, err)
	understudy.Is(t, "orphan", orphan.Auth.Orphan, true)
	_, err = client.Logical().Write("auth/token/roles/ci", map[string]any{"allowed_policies": "default"})
	must(t, err)
	_, err = client.Auth().Token().CreateWithRole(&api.TokenCreateRequest{}, "ci")
	must(t, err)
	must(t, client.Auth().Token().RevokeTree(token))
	_, err = client.Auth().Token().Lookup(token)
	refused(t, err, 403)
}

func TestLeases(t *testing.T) {
	client, world := connect(t, "{}")
	made, err := client.Auth().Token().Create(&api.TokenCreateRequest{TTL: "1m"})
	must(t, err)
	listed, err := client.Logical().List("sys/leases/lookup/auth/token/create")
	must(t, err)
	if listed == nil || len(listed.Data["keys"].([]any)) == 0 {
		t.Fatalf("%v", listed)
	}
	world.Advance(t, "2m")
	_, err = client.Auth().Token().Lookup(made.Auth.ClientToken)
	refused(t, err, 403)
}

func TestWrapping(t *testing.T) {
	client, _ := connect(t, "{}")
	_, err := client.KVv2("secret").Put(ctx, "app", map[string]any{"a": "1"})
	must(t, err)
	wrapping, err := client.Clone()
	must(t, err)
	wrapping.SetToken(client.Token())
	wrapping.SetWrappingLookupFunc(func(string, string) string { return "5m" })
	wrapped, err := wrapping.Logical().Read("secret/data/app")
	must(t, err)
	understudy.Is(t, "ttl", wrapped.WrapInfo.TTL, 300)
	plain, err := client.Logical().Unwrap(wrapped.WrapInfo.Token)
	must(t, err)
	understudy.Is(t, "a", plain.Data["data"].(map[string]any)["a"], any("1"))
	_, err = client.Logical().Unwrap(wrapped.WrapInfo.Token)
	refused(t, err, 400)
}

func TestNamespaces(t *testing.T) {
	client, _ := connect(t, "{}")
	_, err := client.Logical().Write("sys/namespaces/team", map[string]any{})
	must(t, err)
	inside := client.WithNamespace("team")
	must(t, inside.Sys().Mount("kv", &api.MountInput{Type: "kv"}))
	must(t, inside.KVv1("kv").Put(ctx, "a", map[string]any{"n": "1"}))
	_, err = client.KVv1("kv").Get(ctx, "a")
	if err == nil {
		t.Fatal("the root namespace has no mount kv")
	}
	listed, err := client.Logical().List("sys/namespaces")
	must(t, err)
	understudy.Is(t, "first", listed.Data["keys"].([]any)[0], any("team/"))
	_, err = client.Logical().Delete("sys/namespaces/team")
	must(t, err)
}

func TestPasswordPolicies(t *testing.T) {
	client, _ := connect(t, "{}")
	_, err := client.Logical().Write("sys/policies/password/long", map[string]any{
		"policy": "length = 24\nrule \"charset\" { charset = \"abcdef\" }",
	})
	must(t, err)
	made, err := client.Logical().Read("sys/policies/password/long/generate")
	must(t, err)
	understudy.Is(t, "length", len(made.Data["password"].(string)), 24)
}
