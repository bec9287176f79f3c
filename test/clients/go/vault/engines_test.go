package vault

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/vault/api"

	"infra-understudy/test/clients/understudy"
)

// write writes data and fails the test if the server refuses.
func write(t *testing.T, client *api.Client, path string, data map[string]any) *api.Secret {
	t.Helper()
	secret, err := client.Logical().WriteWithContext(ctx, path, data)
	must(t, err)
	return secret
}

func mount(t *testing.T, client *api.Client, kind string) {
	t.Helper()
	must(t, client.Sys().Mount(kind, &api.MountInput{Type: kind}))
}

// credential returns a credential of a database for an hour, which renewals prolong to two.
func credential(t *testing.T, client *api.Client) *api.Secret {
	t.Helper()
	mount(t, client, "database")
	write(t, client, "database/config/main", map[string]any{
		"plugin_name":    "postgresql-database-plugin",
		"connection_url": "postgresql://{{username}}:{{password}}@db:5432/app",
		"username":       "admin",
		"password":       "secret",
		"allowed_roles":  "*",
	})
	write(t, client, "database/roles/app", map[string]any{
		"db_name":             "main",
		"creation_statements": `CREATE ROLE "{{name}}" LOGIN PASSWORD '{{password}}'`,
		"default_ttl":         "1h",
		"max_ttl":             "2h",
	})
	secret, err := client.Logical().Read("database/creds/app")
	must(t, err)
	return secret
}

func TestLifetimeWatcher(t *testing.T) {
	t.Run("renews a credential of a database", func(t *testing.T) {
		client, world := connect(t, "{}")
		secret := credential(t, client)
		world.Advance(t, "40m")
		watcher, err := client.NewLifetimeWatcher(&api.LifetimeWatcherInput{Secret: secret, Increment: 1800})
		must(t, err)
		go watcher.Start()
		defer watcher.Stop()
		select {
		case renewal := <-watcher.RenewCh():
			understudy.Is(t, "lease", renewal.Secret.LeaseID, secret.LeaseID)
			understudy.Is(t, "duration", renewal.Secret.LeaseDuration, 1800)
		case err := <-watcher.DoneCh():
			t.Fatalf("the watcher ended: %v", err)
		case <-time.After(20 * time.Second):
			t.Fatal("no renewal came")
		}
	})
	t.Run("ends with the refusal for a revoked lease", func(t *testing.T) {
		client, _ := connect(t, "{}")
		secret := credential(t, client)
		must(t, client.Sys().Revoke(secret.LeaseID))
		watcher, err := client.NewLifetimeWatcher(&api.LifetimeWatcherInput{
			Secret:        secret,
			RenewBehavior: api.RenewBehaviorErrorOnErrors,
		})
		must(t, err)
		go watcher.Start()
		defer watcher.Stop()
		select {
		case err := <-watcher.DoneCh():
			refused(t, err, 400)
		case <-time.After(20 * time.Second):
			t.Fatal("the watcher did not end")
		}
	})
	t.Run("renews a token", func(t *testing.T) {
		client, _ := connect(t, "{}")
		secret, err := client.Auth().Token().Create(&api.TokenCreateRequest{TTL: "1h"})
		must(t, err)
		watcher, err := client.NewLifetimeWatcher(&api.LifetimeWatcherInput{Secret: secret, Increment: 600})
		must(t, err)
		go watcher.Start()
		defer watcher.Stop()
		select {
		case renewal := <-watcher.RenewCh():
			understudy.Is(t, "duration", renewal.Secret.Auth.LeaseDuration, 600)
		case err := <-watcher.DoneCh():
			t.Fatalf("the watcher ended: %v", err)
		case <-time.After(20 * time.Second):
			t.Fatal("no renewal came")
		}
	})
}

// certificate parses the first certificate of a text.
func certificate(t *testing.T, text any) *x509.Certificate {
	t.Helper()
	block, _ := pem.Decode([]byte(text.(string)))
	if block == nil {
		t.Fatalf("no certificate: %v", text)
	}
	parsed, err := x509.ParseCertificate(block.Bytes)
	must(t, err)
	return parsed
}

func TestCertificates(t *testing.T) {
	client, _ := connect(t, "{}")
	mount(t, client, "pki")
	must(t, client.Sys().TuneMount("pki", api.MountConfigInput{MaxLeaseTTL: "8760h"}))
	root := write(t, client, "pki/root/generate/internal", map[string]any{
		"common_name": "Root", "ttl": "8760h", "key_type": "ec", "key_bits": 256,
	})
	authority := certificate(t, root.Data["certificate"])
	write(t, client, "pki/roles/web", map[string]any{
		"allowed_domains": "a.test", "allow_subdomains": true, "max_ttl": "72h", "key_type": "ec",
	})
	roots := x509.NewCertPool()
	roots.AddCert(authority)
	t.Run("issue", func(t *testing.T) {
		issued := write(t, client, "pki/issue/web", map[string]any{"common_name": "www.a.test", "ttl": "24h"})
		leaf := certificate(t, issued.Data["certificate"])
		_, err := leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: "www.a.test"})
		must(t, err)
		understudy.Is(t, "CA", certificate(t, issued.Data["issuing_ca"]).Equal(authority), true)
		_, err = client.Logical().Write("pki/issue/web", map[string]any{"common_name": "www.b.test"})
		refused(t, err, 400)
	})
	t.Run("sign", func(t *testing.T) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		must(t, err)
		request, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{DNSNames: []string{"api.a.test"}}, key)
		must(t, err)
		signed := write(t, client, "pki/sign/web", map[string]any{
			"common_name": "api.a.test",
			"csr":         string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: request})),
		})
		leaf := certificate(t, signed.Data["certificate"])
		understudy.Is(t, "key", key.PublicKey.Equal(leaf.PublicKey), true)
		_, err = leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: "api.a.test"})
		must(t, err)
	})
	t.Run("revoke, and the list of revoked certificates", func(t *testing.T) {
		issued := write(t, client, "pki/issue/web", map[string]any{"common_name": "old.a.test"})
		write(t, client, "pki/revoke", map[string]any{"serial_number": issued.Data["serial_number"]})
		raw, err := client.Logical().ReadRaw("pki/crl/pem")
		must(t, err)
		defer raw.Body.Close()
		text := make([]byte, 65536)
		length, _ := raw.Body.Read(text)
		block, _ := pem.Decode(text[:length])
		list, err := x509.ParseRevocationList(block.Bytes)
		must(t, err)
		must(t, list.CheckSignatureFrom(authority))
		understudy.Is(t, "entries", len(list.RevokedCertificateEntries), 1)
	})
}

func TestSSH(t *testing.T) {
	client, _ := connect(t, "{}")
	mount(t, client, "ssh")
	t.Run("one-time passwords and their verification by a host", func(t *testing.T) {
		write(t, client, "ssh/roles/otp", map[string]any{
			"key_type": "otp", "default_user": "ubuntu", "cidr_list": "10.0.0.0/8",
		})
		made, err := client.SSH().Credential("otp", map[string]any{"ip": "10.1.2.3"})
		must(t, err)
		helper := client.SSHHelperWithMountPoint("ssh")
		verified, err := helper.Verify(made.Data["key"].(string))
		must(t, err)
		understudy.Is(t, "user", verified.Username, "ubuntu")
		understudy.Is(t, "address", verified.IP, "10.1.2.3")
		understudy.Is(t, "role", verified.RoleName, "otp")
		_, err = helper.Verify(made.Data["key"].(string))
		refused(t, err, 400)
		echo, err := helper.Verify(api.VerifyEchoRequest)
		must(t, err)
		understudy.Is(t, "echo", echo.Message, api.VerifyEchoResponse)
	})
	t.Run("signed keys", func(t *testing.T) {
		write(t, client, "ssh/config/ca", map[string]any{"generate_signing_key": true, "key_type": "ed25519"})
		write(t, client, "ssh/roles/ca", map[string]any{
			"key_type": "ca", "allow_user_certificates": true, "allowed_users": "*", "ttl": "1h",
		})
		signed, err := client.SSH().SignKey("ca", map[string]any{
			"public_key":       "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMyyGlZLJc2hJV9DdzBagjELCh14LF23Mke5lexNbFTk",
			"valid_principals": "ada",
		})
		must(t, err)
		key := signed.Data["signed_key"].(string)
		understudy.Is(t, "type", strings.Fields(key)[0], "ssh-ed25519-cert-v01@openssh.com")
	})
}
