package vault

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/hashicorp/vault/api"

	"infra-understudy/test/clients/understudy"
)

func TestQuotas(t *testing.T) {
	client, _ := connect(t, "{}")
	write(t, client, "sys/quotas/rate-limit/slow", map[string]any{"rate": 2, "interval": "1m", "path": "secret"})
	quota, err := client.Logical().Read("sys/quotas/rate-limit/slow")
	must(t, err)
	understudy.Is(t, "rate", quota.Data["rate"].(json.Number).String(), "2")
	understudy.Is(t, "path", quota.Data["path"], any("secret/"))
	read := func() error {
		_, err := client.KVv2("secret").Get(ctx, "absent")
		return err
	}
	_, _ = read(), read()
	refused(t, read(), 429)
	names, err := client.Logical().List("sys/quotas/rate-limit")
	must(t, err)
	understudy.Is(t, "name", names.Data["keys"].([]any)[0], any("slow"))
	_, err = client.Logical().Delete("sys/quotas/rate-limit/slow")
	must(t, err)
}

func TestPlugins(t *testing.T) {
	client, _ := connect(t, `{"secrets":{"pluginDirectory":"/plugins"}}`)
	listed, err := client.Sys().ListPlugins(&api.ListPluginsInput{Type: api.PluginTypeDatabase})
	must(t, err)
	if !slices.Contains(listed.PluginsByType[api.PluginTypeDatabase], "postgresql-database-plugin") {
		t.Fatalf("%v", listed.PluginsByType)
	}
	sum := "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	plugin := api.RegisterPluginInput{
		Name: "own", Type: api.PluginTypeSecrets, Command: "own", SHA256: sum, Version: "v1.2.3",
	}
	must(t, client.Sys().RegisterPlugin(&plugin))
	found, err := client.Sys().GetPlugin(&api.GetPluginInput{Name: "own", Type: api.PluginTypeSecrets, Version: "v1.2.3"})
	must(t, err)
	understudy.Is(t, "command", found.Command, "own")
	understudy.Is(t, "hash", found.SHA256, sum)
	understudy.Is(t, "version", found.Version, "v1.2.3")
	_, err = client.Sys().ReloadPlugin(&api.ReloadPluginInput{Mounts: []string{"secret/"}})
	must(t, err)
	must(t, client.Sys().DeregisterPlugin(&api.DeregisterPluginInput{Name: "own", Type: api.PluginTypeSecrets, Version: "v1.2.3"}))
	_, err = client.Sys().GetPlugin(&api.GetPluginInput{Name: "own", Type: api.PluginTypeSecrets, Version: "v1.2.3"})
	refused(t, err, 404)
}

func TestMountMigration(t *testing.T) {
	client, _ := connect(t, "{}")
	must(t, client.Sys().Mount("old", &api.MountInput{Type: "kv"}))
	started, err := client.Sys().StartRemount("old", "new")
	must(t, err)
	understudy.Eventually(t, "the end of the migration", func() bool {
		status, err := client.Sys().RemountStatus(started.MigrationID)
		must(t, err)
		understudy.Is(t, "target", status.MigrationInfo.TargetMount, "new/")
		return status.MigrationInfo.MigrationStatus == "success"
	})
}

func TestAudits(t *testing.T) {
	client, _ := connect(t, "{}")
	must(t, client.Sys().EnableAuditWithOptions("file", &api.EnableAuditOptions{
		Type: "file", Options: map[string]string{"file_path": "discard"},
	}))
	audits, err := client.Sys().ListAudit()
	must(t, err)
	understudy.Is(t, "path", audits["file/"].Options["file_path"], "discard")
	hash, err := client.Sys().AuditHash("file", "secret")
	must(t, err)
	understudy.Is(t, "start of the hash", hash[:12], "hmac-sha256:")
	must(t, client.Sys().DisableAudit("file"))
}

func TestKeyRotation(t *testing.T) {
	client, _ := connect(t, "{}")
	before, err := client.Sys().KeyStatus()
	must(t, err)
	must(t, client.Sys().Rotate())
	after, err := client.Sys().KeyStatus()
	must(t, err)
	understudy.Is(t, "term", after.Term, before.Term+1)
}

func TestCapabilities(t *testing.T) {
	client, _ := connect(t, "{}")
	must(t, client.Sys().PutPolicy("reader", `path "secret/*" { capabilities = ["read"] }`))
	made, err := client.Auth().Token().Create(&api.TokenCreateRequest{Policies: []string{"reader"}})
	must(t, err)
	granted, err := client.Sys().Capabilities(made.Auth.ClientToken, "secret/data/a")
	must(t, err)
	understudy.Is(t, "capabilities", slices.Equal(granted, []string{"read"}), true)
	client.SetToken(made.Auth.ClientToken)
	granted, err = client.Sys().CapabilitiesSelf("sys/mounts")
	must(t, err)
	understudy.Is(t, "capabilities", slices.Equal(granted, []string{"deny"}), true)
}

func TestCrossOriginSettings(t *testing.T) {
	client, _ := connect(t, "{}")
	must(t, client.Sys().ConfigureCORS(&api.CORSRequest{AllowedOrigins: []string{"https://a.test"}, Enabled: true}))
	status, err := client.Sys().CORSStatus()
	must(t, err)
	understudy.Is(t, "enabled", status.Enabled, true)
	must(t, client.Sys().DisableCORS())
}

func TestRootTokenGeneration(t *testing.T) {
	client, world := connect(t, "{}")
	started, err := client.Sys().GenerateRootInit("", "")
	must(t, err)
	var status *api.GenerateRootStatusResponse
	for _, key := range world.Services.Secrets.UnsealKeys[:started.Required] {
		status, err = client.Sys().GenerateRootUpdate(key, started.Nonce)
		must(t, err)
	}
	understudy.Is(t, "complete", status.Complete, true)
	understudy.Is(t, "length", started.OTPLength > 0 && status.EncodedToken != "", true)
}
