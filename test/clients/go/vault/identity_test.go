// Tests of entities and the reads that their policies allow.
package vault

import (
	"fmt"
	"testing"

	"github.com/hashicorp/vault/api"

	"infra-understudy/test/clients/understudy"
)

func TestTemplatedPolicies(t *testing.T) {
	client, _ := connect(t, "{}")
	write := func(path string, data map[string]any) *api.Secret {
		t.Helper()
		secret, err := client.Logical().Write(path, data)
		must(t, err)
		return secret
	}
	must(t, client.Sys().EnableAuthWithOptions("approle", &api.EnableAuthOptions{Type: "approle"}))
	methods, err := client.Sys().ListAuth()
	must(t, err)
	accessor := methods["approle/"].Accessor
	must(t, client.Sys().PutPolicy("own", fmt.Sprintf(`
		path "secret/data/{{identity.entity.metadata.team}}/*" { capabilities = ["read"] }
		path "secret/data/{{identity.entity.aliases.%s.name}}/*" { capabilities = ["read"] }
	`, accessor)))
	write("auth/approle/role/app", map[string]any{"token_policies": "own", "role_id": "me"})
	entity := write("identity/entity", map[string]any{
		"name":     "app",
		"metadata": map[string]string{"team": "shop"},
	}).Data["id"].(string)
	write("identity/entity-alias", map[string]any{
		"name": "me", "canonical_id": entity, "mount_accessor": accessor,
	})
	for _, place := range []string{"shop", "bank", "me"} {
		_, err := client.KVv2("secret").Put(ctx, place+"/db", map[string]any{"place": place})
		must(t, err)
	}
	secretID := write("auth/approle/role/app/secret-id", nil).Data["secret_id"]
	login := write("auth/approle/login", map[string]any{"role_id": "me", "secret_id": secretID})
	understudy.Is(t, "entity", login.Auth.EntityID, entity)

	app, err := client.Clone()
	must(t, err)
	app.SetToken(login.Auth.ClientToken)
	reads := func(place string) {
		t.Helper()
		secret, err := app.KVv2("secret").Get(ctx, place+"/db")
		must(t, err)
		understudy.Is(t, "place", secret.Data["place"], any(place))
	}
	isRefused := func(place string) {
		t.Helper()
		_, err := app.KVv2("secret").Get(ctx, place+"/db")
		refused(t, err, 403)
	}
	reads("shop")
	reads("me")
	isRefused("bank")
	write("identity/entity/id/"+entity, map[string]any{"metadata": map[string]string{"team": "bank"}})
	reads("bank")
	isRefused("shop")
}
