// Tests of the official client of the job scheduler on features other than jobs, one per capability.
package nomad

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/nomad/api"
	"github.com/hashicorp/nomad/api/contexts"

	"infra-understudy/test/clients/understudy"
)

const offering = `
job "web" {
  group "cache" {
    scaling {
      max = 5
      policy {
        cooldown = "1m"
      }
    }
    network {
      port "db" {}
    }
    service {
      name     = "redis"
      port     = "db"
      provider = "nomad"
      tags     = ["cache"]
    }
    task "redis" {
      driver = "docker"
      config {
        image = "redis:7"
      }
    }
  }
}`

func TestDeploymentsByHand(t *testing.T) {
	client, world := connect(t)
	manual := strings.Replace(file, "count = 2", "count = 2\n update { health_check = \"manual\" }", 1)
	manual = strings.Replace(manual, "update { ", "update {\n", 1)
	manual = strings.Replace(manual, "\"manual\" }", "\"manual\"\n }", 1)
	_, _, err := client.Jobs().Register(parse(t, client, manual), nil)
	must(t, err)
	world.Advance(t, "30s")
	latest, _, err := client.Jobs().LatestDeployment("web", nil)
	must(t, err)
	paused, _, err := client.Deployments().Pause(latest.ID, true, nil)
	must(t, err)
	understudy.Is(t, "evaluation", paused.EvalID, "")
	info, _, err := client.Deployments().Info(latest.ID, nil)
	must(t, err)
	understudy.Is(t, "status", info.Status, "paused")
	resumed, _, err := client.Deployments().Pause(latest.ID, false, nil)
	must(t, err)
	understudy.Is(t, "evaluation", len(resumed.EvalID), 36)
	placed, _, err := client.Deployments().Allocations(latest.ID, nil)
	must(t, err)
	ids := []string{}
	for _, allocation := range placed {
		ids = append(ids, allocation.ID)
	}
	_, _, err = client.Deployments().SetAllocHealth(latest.ID, ids, nil, nil)
	must(t, err)
	world.Advance(t, "30s")
	info, _, err = client.Deployments().Info(latest.ID, nil)
	must(t, err)
	understudy.Is(t, "status", info.Status, "successful")
}

func TestVersionTags(t *testing.T) {
	client, world := connect(t)
	run(t, client, world, parse(t, client, file))
	_, err := client.Jobs().TagVersion("web", 0, "golden", "the first", nil)
	must(t, err)
	tagged, _, err := client.Jobs().VersionByTag("web", "golden", nil)
	must(t, err)
	understudy.Is(t, "description", tagged.VersionTag.Description, "the first")
	_, err = client.Jobs().UntagVersion("web", "golden", nil)
	must(t, err)
	job, _, err := client.Jobs().Info("web", nil)
	must(t, err)
	understudy.Is(t, "untagged", job.VersionTag == nil, true)
}

func TestScalingPolicies(t *testing.T) {
	client, world := connect(t)
	run(t, client, world, parse(t, client, offering))
	policies, _, err := client.Scaling().ListPolicies(nil)
	must(t, err)
	understudy.Is(t, "group", policies[0].Target["Group"], "cache")
	policy, _, err := client.Scaling().GetPolicy(policies[0].ID, nil)
	must(t, err)
	understudy.Is(t, "maximum", *policy.Max, int64(5))
	understudy.Is(t, "content", policy.Policy["cooldown"], any("1m"))
}

func TestSearches(t *testing.T) {
	client, world := connect(t)
	run(t, client, world, parse(t, client, file))
	found, _, err := client.Search().PrefixSearch("we", contexts.Jobs, nil)
	must(t, err)
	understudy.Is(t, "job", found.Matches[contexts.Jobs][0], "web")
	fuzzy, _, err := client.Search().FuzzySearch("edis", contexts.All, nil)
	must(t, err)
	understudy.Is(t, "task", fuzzy.Matches[contexts.Tasks][0].ID, "redis")
	understudy.Is(t, "image", fuzzy.Matches[contexts.Images][0].ID, "redis:7")
}

func TestServices(t *testing.T) {
	client, world := connect(t)
	run(t, client, world, parse(t, client, offering))
	list, _, err := client.Services().List(nil)
	must(t, err)
	understudy.Is(t, "service", list[0].Services[0].ServiceName, "redis")
	offered, _, err := client.Services().Get("redis", nil)
	must(t, err)
	understudy.Is(t, "tag", offered[0].Tags[0], "cache")
	understudy.Is(t, "port", offered[0].Port > 0, true)
	_, err = client.Services().Delete("redis", offered[0].ID, nil)
	must(t, err)
	left, _, err := client.Services().Get("redis", nil)
	must(t, err)
	understudy.Is(t, "left", len(left), 0)
}

func TestRoles(t *testing.T) {
	client, world := connect(t)
	_, err := client.ACLPolicies().Upsert(&api.ACLPolicy{Name: "reader", Rules: `namespace "default" { policy = "read" }`}, nil)
	must(t, err)
	role, _, err := client.ACLRoles().Create(&api.ACLRole{
		Name:     "readers",
		Policies: []*api.ACLRolePolicyLink{{Name: "reader"}},
	}, nil)
	must(t, err)
	named, _, err := client.ACLRoles().GetByName("readers", nil)
	must(t, err)
	understudy.Is(t, "ID", named.ID, role.ID)
	token, _, err := client.ACLTokens().Create(&api.ACLToken{
		Type:  "client",
		Roles: []*api.ACLTokenRoleLink{{Name: "readers"}},
	}, nil)
	must(t, err)
	reader := as(t, world, token.SecretID)
	_, _, err = reader.Jobs().List(nil)
	must(t, err)
	roles, _, err := reader.ACLRoles().List(nil)
	must(t, err)
	understudy.Is(t, "roles", len(roles), 1)
	_, err = client.ACLRoles().Delete(role.ID, nil)
	must(t, err)
	if _, _, err = reader.Jobs().List(nil); err == nil || !strings.Contains(err.Error(), "403") {
		t.Fatal(err)
	}
}

func TestEventStream(t *testing.T) {
	client, world := connect(t)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	topics := map[api.Topic][]string{api.TopicJob: {"web"}, api.TopicAllocation: {"*"}}
	events, err := client.EventStream().Stream(ctx, topics, 0, nil)
	must(t, err)
	run(t, client, world, parse(t, client, file))
	seen := map[string]bool{}
	for !seen["JobRegistered"] || !seen["PlanResult"] || !seen["AllocationUpdated"] {
		line, ok := <-events
		if !ok {
			t.Fatal("the stream ended", seen)
		}
		must(t, line.Err)
		for _, event := range line.Events {
			seen[event.Type] = true
			if event.Type == "JobRegistered" {
				job, err := event.Job()
				must(t, err)
				understudy.Is(t, "job", *job.ID, "web")
			}
		}
	}
}
