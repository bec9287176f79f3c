package logins

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/hashicorp/vault/api/auth/userpass"

	"infra-understudy/test/clients/understudy"
)

// codeAt returns the one-time code of a base32 key for the period that contains an instant.
func codeAt(t *testing.T, key string, instant time.Time) string {
	t.Helper()
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(key)
	must(t, err)
	counter := make([]byte, 8)
	binary.BigEndian.PutUint64(counter, uint64(instant.Unix()/30))
	mac := hmac.New(sha1.New, secret)
	mac.Write(counter)
	sum := mac.Sum(nil)
	start := sum[len(sum)-1] & 0xf
	number := binary.BigEndian.Uint32(sum[start:]) & 0x7fffffff
	return fmt.Sprintf("%06d", number%1_000_000)
}

func TestLoginWithSecondFactor(t *testing.T) {
	client, _ := connect(t, "userpass")
	write(t, client, "auth/userpass/users/ann", map[string]any{
		"password": "pw", "token_policies": "reader", "token_ttl": "1m",
	})
	mounts, err := client.Sys().ListAuth()
	must(t, err)
	accessor := mounts["userpass/"].Accessor
	entity := write(t, client, "identity/entity", map[string]any{"name": "ann"}).Data["id"]
	write(t, client, "identity/entity-alias", map[string]any{
		"name": "ann", "canonical_id": entity, "mount_accessor": accessor,
	})
	method := write(t, client, "identity/mfa/method/totp", map[string]any{
		"method_name": "phone", "issuer": "acme",
	}).Data["method_id"]
	generated := write(t, client, "identity/mfa/method/totp/admin-generate", map[string]any{
		"method_id": method, "entity_id": entity,
	})
	address, err := url.Parse(generated.Data["url"].(string))
	must(t, err)
	key := address.Query().Get("secret")
	write(t, client, "identity/mfa/login-enforcement/all", map[string]any{
		"mfa_method_ids": []any{method}, "auth_method_accessors": []string{accessor},
	})
	credentials, err := userpass.NewUserpassAuth("ann", &userpass.Password{FromString: "pw"})
	must(t, err)
	client.ClearToken()

	waiting, err := client.Auth().MFALogin(ctx, credentials)
	must(t, err)
	methods := waiting.Auth.MFARequirement.MFAConstraints["all"].Any
	understudy.Is(t, "methods", len(methods), 1)
	payload := map[string]any{methods[0].ID: []string{codeAt(t, key, time.Now())}}
	secret, err := client.Auth().MFAValidate(ctx, waiting, payload)
	must(t, err)
	understudy.Is(t, "user", secret.Auth.Metadata["username"], "ann")

	// Each code is accepted once, so this login sends the next period's code, which is already valid.
	client.ClearToken()
	next := codeAt(t, key, time.Now().Add(30*time.Second))
	secret, err = client.Auth().MFALogin(ctx, credentials, "phone:"+next)
	must(t, err)
	understudy.Is(t, "user in one step", secret.Auth.Metadata["username"], "ann")
}
