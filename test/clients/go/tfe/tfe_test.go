// Tests of the official client of the platform, one per capability.
package tfe

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/hashicorp/go-tfe"

	"infra-understudy/test/clients/understudy"
)

var (
	ctx    = context.Background()
	must   = understudy.Must
	module = tfe.RegistryModuleID{
		Organization: "example-org", Namespace: "example-org", Name: "network", Provider: "cloud1",
		RegistryName: tfe.PrivateRegistry,
	}
)

func connect(t *testing.T) (*tfe.Client, understudy.World) {
	t.Helper()
	world := understudy.NewWorld(t, "{}")
	return as(t, world, world.Services.Platform.Tokens.Owner), world
}

func as(t *testing.T, world understudy.World, token string) *tfe.Client {
	t.Helper()
	client, err := tfe.NewClient(&tfe.Config{
		Address: world.Services.Platform.Origin(), Token: token, Headers: world.Header(),
	})
	must(t, err)
	return client
}

// upload creates a configuration version of a module with one test and uploads its files.
func upload(t *testing.T, client *tfe.Client) *tfe.ConfigurationVersion {
	t.Helper()
	version, err := client.ConfigurationVersions.CreateForRegistryModule(ctx, module)
	must(t, err)
	var archive bytes.Buffer
	zip := gzip.NewWriter(&archive)
	files := tar.NewWriter(zip)
	text := "run \"defaults\" {}\n"
	must(t, files.WriteHeader(&tar.Header{Name: "network.test.hcl", Mode: 0o644, Size: int64(len(text))}))
	_, err = files.Write([]byte(text))
	must(t, err)
	must(t, files.Close())
	must(t, zip.Close())
	must(t, client.ConfigurationVersions.UploadTarGzip(ctx, version.UploadURL, &archive))
	return version
}

func TestConfigurationVersionsAndUploads(t *testing.T) {
	client, _ := connect(t)
	version := upload(t, client)
	understudy.Is(t, "has an id", strings.HasPrefix(version.ID, "cv-"), true)
}

func TestTestRuns(t *testing.T) {
	client, world := connect(t)
	version := upload(t, client)
	run, err := client.TestRuns.Create(ctx, tfe.TestRunCreateOptions{
		ConfigurationVersion: version,
		RegistryModule:       &tfe.RegistryModule{Name: module.Name, Provider: module.Provider, Namespace: module.Namespace, RegistryName: module.RegistryName, Organization: &tfe.Organization{Name: module.Organization}},
		Variables:            []*tfe.RunVariable{{Key: "size", Value: `"small"`}},
	})
	must(t, err)
	world.Advance(t, "10m")
	read, err := client.TestRuns.Read(ctx, module, run.ID)
	must(t, err)
	understudy.Is(t, "status", read.Status, tfe.TestRunFinished)
	understudy.Is(t, "test status", read.TestStatus, tfe.TestPass)
	list, err := client.TestRuns.List(ctx, module, nil)
	must(t, err)
	if len(list.Items) == 0 {
		t.Fatal("no test runs")
	}
	logs, err := client.TestRuns.Logs(ctx, module, run.ID)
	must(t, err)
	text, err := io.ReadAll(logs)
	must(t, err)
	if !strings.Contains(string(text), "1 passed, 0 failed") {
		t.Fatalf("%s", text)
	}
}

func TestCancelTestRun(t *testing.T) {
	client, world := connect(t)
	run, err := client.TestRuns.Create(ctx, tfe.TestRunCreateOptions{
		ConfigurationVersion: upload(t, client),
		RegistryModule:       &tfe.RegistryModule{Name: module.Name, Provider: module.Provider, Namespace: module.Namespace, RegistryName: module.RegistryName, Organization: &tfe.Organization{Name: module.Organization}},
	})
	must(t, err)
	world.Advance(t, "1s")
	must(t, client.TestRuns.Cancel(ctx, module, run.ID))
	world.Advance(t, "10m")
	read, err := client.TestRuns.Read(ctx, module, run.ID)
	must(t, err)
	understudy.Is(t, "status", read.Status, tfe.TestRunCanceled)
}

func TestVariables(t *testing.T) {
	client, _ := connect(t)
	made, err := client.TestVariables.Create(ctx, module, tfe.VariableCreateOptions{
		Key: tfe.String("region"), Value: tfe.String("north"), Category: tfe.Category(tfe.CategoryEnv),
	})
	must(t, err)
	changed, err := client.TestVariables.Update(ctx, module, made.ID, tfe.VariableUpdateOptions{Value: tfe.String("south")})
	must(t, err)
	understudy.Is(t, "value", changed.Value, "south")
	list, err := client.TestVariables.List(ctx, module, nil)
	must(t, err)
	understudy.Is(t, "number", len(list.Items), 1)
	must(t, client.TestVariables.Delete(ctx, module, made.ID))
	if _, err = client.TestVariables.Read(ctx, module, made.ID); !errors.Is(err, tfe.ErrResourceNotFound) {
		t.Fatal(err)
	}
}

func TestAdminSettings(t *testing.T) {
	_, world := connect(t)
	admin := as(t, world, world.Services.Platform.Tokens.SiteAdmin).Admin.Settings
	t.Run("general", func(t *testing.T) {
		changed, err := admin.General.Update(ctx, tfe.AdminGeneralSettingsUpdateOptions{APIRateLimit: tfe.Int(99)})
		must(t, err)
		understudy.Is(t, "limit", changed.APIRateLimit, 99)
		read, err := admin.General.Read(ctx)
		must(t, err)
		understudy.Is(t, "limit", read.APIRateLimit, 99)
	})
	t.Run("cost estimation", func(t *testing.T) {
		changed, err := admin.CostEstimation.Update(ctx, tfe.AdminCostEstimationSettingOptions{
			Enabled: tfe.Bool(true), AWSAccessKeyID: tfe.String("id"), AWSAccessKey: tfe.String("key"),
		})
		must(t, err)
		understudy.Is(t, "enabled", changed.Enabled, true)
	})
	t.Run("SAML", func(t *testing.T) {
		changed, err := admin.SAML.Update(ctx, tfe.AdminSAMLSettingsUpdateOptions{Debug: tfe.Bool(true)})
		must(t, err)
		understudy.Is(t, "debug", changed.Debug, true)
		_, err = admin.SAML.RevokeIdpCert(ctx)
		must(t, err)
	})
	t.Run("SMTP", func(t *testing.T) {
		changed, err := admin.SMTP.Update(ctx, tfe.AdminSMTPSettingsUpdateOptions{Host: tfe.String("mail.example.com"), Port: tfe.Int(25), Sender: tfe.String("a@example.com")})
		must(t, err)
		understudy.Is(t, "host", changed.Host, "mail.example.com")
	})
	t.Run("Twilio", func(t *testing.T) {
		changed, err := admin.Twilio.Update(ctx, tfe.AdminTwilioSettingsUpdateOptions{FromNumber: tfe.String("+15550100")})
		must(t, err)
		understudy.Is(t, "number", changed.FromNumber, "+15550100")
	})
	t.Run("customization", func(t *testing.T) {
		changed, err := admin.Customization.Update(ctx, tfe.AdminCustomizationSettingsUpdateOptions{Footer: tfe.String("hello")})
		must(t, err)
		understudy.Is(t, "footer", changed.Footer, "hello")
	})
}

func TestOrganizations(t *testing.T) {
	_, world := connect(t)
	// By default, only administrators may create organizations.
	client := as(t, world, world.Services.Platform.Tokens.SiteAdmin)
	made, err := client.Organizations.Create(ctx, tfe.OrganizationCreateOptions{Name: tfe.String("second"), Email: tfe.String("ops@example.com")})
	must(t, err)
	understudy.Is(t, "name", made.Name, "second")
	changed, err := client.Organizations.Update(ctx, "second", tfe.OrganizationUpdateOptions{Email: tfe.String("dev@example.com")})
	must(t, err)
	understudy.Is(t, "email", changed.Email, "dev@example.com")
	list, err := client.Organizations.List(ctx, nil)
	must(t, err)
	understudy.Is(t, "number", len(list.Items), 2)
	entitlements, err := client.Organizations.ReadEntitlements(ctx, "second")
	must(t, err)
	understudy.Is(t, "private modules", entitlements.PrivateModuleRegistry, true)
	must(t, client.Organizations.Delete(ctx, "second"))
}

func TestTeams(t *testing.T) {
	client, _ := connect(t)
	team, err := client.Teams.Create(ctx, "example-org", tfe.TeamCreateOptions{
		Name: tfe.String("builders"), OrganizationAccess: &tfe.OrganizationAccessOptions{ManageModules: tfe.Bool(true)},
	})
	must(t, err)
	understudy.Is(t, "may manage modules", team.OrganizationAccess.ManageModules, true)
	team, err = client.Teams.Update(ctx, team.ID, tfe.TeamUpdateOptions{Name: tfe.String("makers")})
	must(t, err)
	understudy.Is(t, "name", team.Name, "makers")
	token, err := client.TeamTokens.Create(ctx, team.ID)
	must(t, err)
	if token.Token == "" {
		t.Fatal("a new token tells itself")
	}
	further, err := client.TeamTokens.CreateWithOptions(ctx, team.ID, tfe.TeamTokenCreateOptions{Description: tfe.String("ci")})
	must(t, err)
	tokens, err := client.TeamTokens.List(ctx, "example-org", &tfe.TeamTokenListOptions{Query: "makers", Sort: "-created-by"})
	must(t, err)
	understudy.Is(t, "tokens", len(tokens.Items), 2)
	understudy.Is(t, "their team", tokens.Items[0].Team.ID, team.ID)
	must(t, client.TeamTokens.DeleteByID(ctx, further.ID))
	must(t, client.TeamTokens.Delete(ctx, team.ID))
	list, err := client.Teams.List(ctx, "example-org", nil)
	must(t, err)
	if len(list.Items) < 2 {
		t.Fatalf("%v", list.Items)
	}
	must(t, client.Teams.Delete(ctx, team.ID))
}

func TestWorkspaces(t *testing.T) {
	client, _ := connect(t)
	workspace, err := client.Workspaces.Create(ctx, "example-org", tfe.WorkspaceCreateOptions{Name: tfe.String("net")})
	must(t, err)
	user, err := client.Users.ReadCurrent(ctx)
	must(t, err)
	workspace, err = client.Workspaces.Lock(ctx, workspace.ID, tfe.WorkspaceLockOptions{})
	must(t, err)
	understudy.Is(t, "locked", workspace.Locked, true)
	understudy.Is(t, "locked by", workspace.LockedBy.User.ID, user.ID)
	_, err = client.Workspaces.Lock(ctx, workspace.ID, tfe.WorkspaceLockOptions{})
	understudy.Is(t, "twice", err, tfe.ErrWorkspaceLocked)
	workspace, err = client.Workspaces.Unlock(ctx, workspace.ID)
	must(t, err)
	understudy.Is(t, "locked", workspace.Locked, false)
	must(t, client.Workspaces.DeleteByID(ctx, workspace.ID))
}

func TestAccount(t *testing.T) {
	client, _ := connect(t)
	user, err := client.Users.ReadCurrent(ctx)
	must(t, err)
	token, err := client.UserTokens.Create(ctx, user.ID, tfe.UserTokenCreateOptions{Description: "ci"})
	must(t, err)
	list, err := client.UserTokens.List(ctx, user.ID)
	must(t, err)
	if len(list.Items) == 0 {
		t.Fatal("no tokens")
	}
	must(t, client.UserTokens.Delete(ctx, token.ID))
	organization, err := client.OrganizationTokens.Create(ctx, "example-org")
	must(t, err)
	understudy.Is(t, "tells itself", organization.Token != "", true)
	must(t, client.OrganizationTokens.Delete(ctx, "example-org"))
}

func TestRegistryModules(t *testing.T) {
	client, _ := connect(t)
	made, err := client.RegistryModules.Create(ctx, "example-org", tfe.RegistryModuleCreateOptions{
		Name: tfe.String("storage"), Provider: tfe.String("cloud1"), RegistryName: tfe.PrivateRegistry,
	})
	must(t, err)
	understudy.Is(t, "name", made.Name, "storage")
	id := tfe.RegistryModuleID{Organization: "example-org", Namespace: "example-org", Name: "storage", Provider: "cloud1", RegistryName: tfe.PrivateRegistry}
	for _, version := range []string{"1.0.0", "1.1.0"} {
		_, err = client.RegistryModules.CreateVersion(ctx, id, tfe.RegistryModuleCreateVersionOptions{Version: tfe.String(version)})
		must(t, err)
	}
	read, err := client.RegistryModules.Read(ctx, id)
	must(t, err)
	understudy.Is(t, "id", read.ID, made.ID)
	list, err := client.RegistryModules.List(ctx, "example-org", nil)
	must(t, err)
	understudy.Is(t, "number", len(list.Items), 2)
	must(t, client.RegistryModules.DeleteVersion(ctx, id, "1.0.0"))
	must(t, client.RegistryModules.DeleteByName(ctx, id))
	if _, err = client.RegistryModules.Read(ctx, id); !errors.Is(err, tfe.ErrResourceNotFound) {
		t.Fatal(err)
	}
}
