// Tests of the official login helpers of the secrets service's client, one per method.
package logins

import (
	"context"
	"testing"

	"github.com/hashicorp/vault/api"
	"github.com/hashicorp/vault/api/auth/approle"
	"github.com/hashicorp/vault/api/auth/kubernetes"
	"github.com/hashicorp/vault/api/auth/ldap"
	"github.com/hashicorp/vault/api/auth/userpass"

	"infra-understudy/test/clients/understudy"
)

var (
	ctx  = context.Background()
	must = understudy.Must
)

// connect returns a client with the root token and mounts a login method at its usual path.
func connect(t *testing.T, method string) (*api.Client, understudy.World) {
	t.Helper()
	return connectWith(t, method, "{}")
}

// connectWith is connect for a world with these options.
func connectWith(t *testing.T, method, options string) (*api.Client, understudy.World) {
	t.Helper()
	world := understudy.NewWorld(t, options)
	config := api.DefaultConfig()
	config.Address = world.Services.Secrets.URL
	config.MaxRetries = 0
	client, err := api.NewClient(config)
	must(t, err)
	client.SetToken(world.Services.Secrets.Token)
	must(t, client.Sys().EnableAuthWithOptions(method, &api.EnableAuthOptions{Type: method}))
	return client, world
}

// write writes data and fails the test if the server refuses.
func write(t *testing.T, client *api.Client, path string, data map[string]any) *api.Secret {
	t.Helper()
	secret, err := client.Logical().WriteWithContext(ctx, path, data)
	must(t, err)
	return secret
}

// login logs in by a helper and checks that the token has the role's policies.
func login(t *testing.T, client *api.Client, method api.AuthMethod) *api.Secret {
	t.Helper()
	client.ClearToken()
	secret, err := client.Auth().Login(ctx, method)
	must(t, err)
	self, err := client.Auth().Token().LookupSelfWithContext(ctx)
	must(t, err)
	understudy.Is(t, "ttl", secret.Auth.LeaseDuration, 60)
	understudy.Is(t, "second policy", self.Data["policies"].([]any)[1], any("reader"))
	return secret
}

func TestLoginByAppRole(t *testing.T) {
	client, _ := connect(t, "approle")
	write(t, client, "auth/approle/role/app", map[string]any{"token_policies": "reader", "token_ttl": "1m"})
	id, err := client.Logical().Read("auth/approle/role/app/role-id")
	must(t, err)
	secretID := write(t, client, "auth/approle/role/app/secret-id", nil)
	method, err := approle.NewAppRoleAuth(
		id.Data["role_id"].(string),
		&approle.SecretID{FromString: secretID.Data["secret_id"].(string)},
	)
	must(t, err)
	secret := login(t, client, method)
	understudy.Is(t, "role", secret.Auth.Metadata["role_name"], "app")
}

func TestLoginByAppRoleWithWrappedSecretID(t *testing.T) {
	client, _ := connect(t, "approle")
	write(t, client, "auth/approle/role/app", map[string]any{"token_policies": "reader", "token_ttl": "1m", "role_id": "me"})
	client.SetWrappingLookupFunc(func(string, string) string { return "5m" })
	wrapped := write(t, client, "auth/approle/role/app/secret-id", nil)
	client.SetWrappingLookupFunc(nil)
	method, err := approle.NewAppRoleAuth(
		"me",
		&approle.SecretID{FromString: wrapped.WrapInfo.Token},
		approle.WithWrappingToken(),
	)
	must(t, err)
	login(t, client, method)
}

func TestLoginByUserpass(t *testing.T) {
	client, _ := connect(t, "userpass")
	write(t, client, "auth/userpass/users/ada", map[string]any{"password": "hunter2", "token_policies": "reader", "token_ttl": "1m"})
	method, err := userpass.NewUserpassAuth("ada", &userpass.Password{FromString: "hunter2"})
	must(t, err)
	secret := login(t, client, method)
	understudy.Is(t, "user", secret.Auth.Metadata["username"], "ada")
	wrong, err := userpass.NewUserpassAuth("ada", &userpass.Password{FromString: "wrong"})
	must(t, err)
	if _, err := client.Auth().Login(ctx, wrong); err == nil {
		t.Fatal("a wrong password was taken")
	}
}

func TestLoginByServiceAccount(t *testing.T) {
	client, world := connect(t, "kubernetes")
	write(t, client, "auth/kubernetes/config", map[string]any{"kubernetes_host": "https://kubernetes.test"})
	write(t, client, "auth/kubernetes/role/app", map[string]any{
		"bound_service_account_names":      "web",
		"bound_service_account_namespaces": "shop",
		"token_policies":                   "reader",
		"token_ttl":                        "1m",
	})
	method, err := kubernetes.NewKubernetesAuth(
		"app",
		kubernetes.WithServiceAccountToken(world.AccountToken(t, "shop", "web")),
	)
	must(t, err)
	secret := login(t, client, method)
	understudy.Is(t, "account", secret.Auth.Metadata["service_account_name"], "web")
}

func TestLoginByDirectory(t *testing.T) {
	people := `{"secrets":{"directory":{"ldap":{"users":{"ada":{"password":"hunter2","groups":["crew"]}}}}}}`
	client, _ := connectWith(t, "ldap", people)
	write(t, client, "auth/ldap/config", map[string]any{
		"url": "ldap://ldap.test", "userdn": "ou=people,dc=test", "token_ttl": "1m",
	})
	write(t, client, "auth/ldap/groups/crew", map[string]any{"policies": "reader"})
	method, err := ldap.NewLDAPAuth("ada", &ldap.Password{FromString: "hunter2"})
	must(t, err)
	secret := login(t, client, method)
	understudy.Is(t, "user", secret.Auth.Metadata["username"], "ada")
	wrong, err := ldap.NewLDAPAuth("ada", &ldap.Password{FromString: "wrong"})
	must(t, err)
	if _, err := client.Auth().Login(ctx, wrong); err == nil {
		t.Fatal("a wrong password was taken")
	}
}
