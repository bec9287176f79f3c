// Tests of the official client of the job scheduler, one per capability.
package nomad

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/nomad/api"

	"infra-understudy/test/clients/understudy"
)

var must = understudy.Must

func connect(t *testing.T) (*api.Client, understudy.World) {
	t.Helper()
	world := understudy.NewWorld(t, "{}")
	return as(t, world, world.Services.Scheduler.Token), world
}

func as(t *testing.T, world understudy.World, token string) *api.Client {
	t.Helper()
	config := api.DefaultConfig()
	config.Address = world.Services.Scheduler.Origin()
	config.SecretID = token
	config.Headers = world.Header()
	client, err := api.NewClient(config)
	must(t, err)
	return client
}

const file = `
variable "image" {
  default = "redis:7"
}
job "web" {
  group "cache" {
    count = 2
    task "redis" {
      driver = "docker"
      config {
        image = var.image
      }
    }
  }
}`

func parse(t *testing.T, client *api.Client, text string) *api.Job {
	t.Helper()
	job, err := client.Jobs().ParseHCLOpts(&api.JobsParseRequest{JobHCL: text, Canonicalize: true})
	must(t, err)
	return job
}

// run registers the job and waits until it runs.
func run(t *testing.T, client *api.Client, world understudy.World, job *api.Job) {
	t.Helper()
	_, _, err := client.Jobs().Register(job, nil)
	must(t, err)
	world.Advance(t, "5m")
}

func TestParse(t *testing.T) {
	client, _ := connect(t)
	job := parse(t, client, file)
	understudy.Is(t, "image", job.TaskGroups[0].Tasks[0].Config["image"], any("redis:7"))
	understudy.Is(t, "priority", *job.Priority, 50)
	_, err := client.Jobs().ParseHCL(`job "x" { nonsense = 1 }`, false)
	if err == nil || !strings.Contains(err.Error(), "400") {
		t.Fatal(err)
	}
}

func TestRegister(t *testing.T) {
	client, world := connect(t)
	job := parse(t, client, file)
	valid, _, err := client.Jobs().Validate(job, nil)
	must(t, err)
	understudy.Is(t, "validation errors", len(valid.ValidationErrors), 0)
	made, _, err := client.Jobs().Register(job, nil)
	must(t, err)
	understudy.Is(t, "has an evaluation", made.EvalID != "", true)
	world.Advance(t, "5m")
	info, _, err := client.Jobs().Info("web", nil)
	must(t, err)
	understudy.Is(t, "status", *info.Status, "running")
	list, _, err := client.Jobs().List(nil)
	must(t, err)
	understudy.Is(t, "number", len(list), 1)
	_, _, err = client.Jobs().EnforceRegister(job, 1, nil)
	if err == nil {
		t.Fatal("a wrong index is refused")
	}
	_, _, err = client.Jobs().Deregister("web", true, nil)
	must(t, err)
	_, _, err = client.Jobs().Info("web", nil)
	if err == nil || !strings.Contains(err.Error(), "404") {
		t.Fatal(err)
	}
}

func TestPlan(t *testing.T) {
	client, world := connect(t)
	job := parse(t, client, file)
	run(t, client, world, job)
	job.TaskGroups[0].Tasks[0].Config["image"] = "redis:8"
	plan, _, err := client.Jobs().Plan(job, true, nil)
	must(t, err)
	understudy.Is(t, "diff", plan.Diff.Type, "Edited")
	understudy.Is(t, "field", plan.Diff.TaskGroups[0].Tasks[0].Objects[0].Fields[0].New, "redis:8")
}

func TestVersionsAndRevert(t *testing.T) {
	client, world := connect(t)
	job := parse(t, client, file)
	run(t, client, world, job)
	job.TaskGroups[0].Tasks[0].Config["image"] = "redis:8"
	run(t, client, world, job)
	versions, diffs, _, err := client.Jobs().Versions("web", true, nil)
	must(t, err)
	understudy.Is(t, "versions", len(versions), 2)
	understudy.Is(t, "diffs", len(diffs), 1)
	_, _, err = client.Jobs().Revert("web", 0, nil, nil, "", "")
	must(t, err)
	_, _, err = client.Jobs().Stable("web", 0, true, nil)
	must(t, err)
	info, _, err := client.Jobs().Info("web", nil)
	must(t, err)
	understudy.Is(t, "version", *info.Version, 2)
}

func TestSubmission(t *testing.T) {
	client, _ := connect(t)
	_, _, err := client.Jobs().RegisterOpts(parse(t, client, file), &api.RegisterOptions{
		Submission: &api.JobSubmission{Source: file, Format: "hcl2"},
	}, nil)
	must(t, err)
	submission, _, err := client.Jobs().Submission("web", 0, nil)
	must(t, err)
	understudy.Is(t, "source", submission.Source, file)
}

func TestScale(t *testing.T) {
	client, world := connect(t)
	run(t, client, world, parse(t, client, file))
	count := 3
	_, _, err := client.Jobs().Scale("web", "cache", &count, "more", false, nil, nil)
	must(t, err)
	world.Advance(t, "5m")
	status, _, err := client.Jobs().ScaleStatus("web", nil)
	must(t, err)
	understudy.Is(t, "running", status.TaskGroups["cache"].Running, 3)
	understudy.Is(t, "message", status.TaskGroups["cache"].Events[0].Message, "more")
	summary, _, err := client.Jobs().Summary("web", nil)
	must(t, err)
	understudy.Is(t, "running", summary.Summary["cache"].Running, 3)
}

func TestDispatch(t *testing.T) {
	client, world := connect(t)
	run(t, client, world, parse(t, client, `
job "batch" {
  type = "batch"
  parameterized {
    payload       = "optional"
    meta_required = ["who"]
  }
  group "g" {
    task "t" {
      driver = "exec"
      config { command = "true" }
    }
  }
}`))
	made, _, err := client.Jobs().Dispatch("batch", map[string]string{"who": "ada"}, []byte("hi"), "", nil)
	must(t, err)
	child, _, err := client.Jobs().Info(made.DispatchedJobID, nil)
	must(t, err)
	understudy.Is(t, "parent", *child.ParentID, "batch")
	_, _, err = client.Jobs().Dispatch("batch", nil, nil, "", nil)
	if err == nil {
		t.Fatal("a missing key is refused")
	}
}

func TestPeriodic(t *testing.T) {
	client, world := connect(t)
	run(t, client, world, parse(t, client, `
job "cron" {
  type = "batch"
  periodic {
    crons = ["@daily"]
  }
  group "g" {
    task "t" {
      driver = "exec"
      config { command = "true" }
    }
  }
}`))
	_, _, err := client.Jobs().PeriodicForce("cron", nil)
	must(t, err)
	children, _, err := client.Jobs().PrefixList("cron/periodic-")
	must(t, err)
	understudy.Is(t, "children", len(children), 1)
}

func TestAllocations(t *testing.T) {
	client, world := connect(t)
	run(t, client, world, parse(t, client, file))
	ofJob, _, err := client.Jobs().Allocations("web", false, nil)
	must(t, err)
	understudy.Is(t, "number", len(ofJob), 2)
	all, _, err := client.Allocations().List(nil)
	must(t, err)
	understudy.Is(t, "number", len(all), 2)
	info, _, err := client.Allocations().Info(ofJob[0].ID, nil)
	must(t, err)
	understudy.Is(t, "state", info.TaskStates["redis"].State, "running")
	_, err = client.Allocations().Stop(info, nil)
	must(t, err)
	world.Advance(t, "5m")
	ofJob, _, err = client.Jobs().Allocations("web", false, nil)
	must(t, err)
	understudy.Is(t, "number", len(ofJob), 3)
}

func TestEvaluations(t *testing.T) {
	client, world := connect(t)
	run(t, client, world, parse(t, client, file))
	ofJob, _, err := client.Jobs().Evaluations("web", nil)
	must(t, err)
	understudy.Is(t, "status", ofJob[0].Status, "complete")
	info, _, err := client.Evaluations().Info(ofJob[0].ID, nil)
	must(t, err)
	understudy.Is(t, "job", info.JobID, "web")
	all, _, err := client.Evaluations().List(nil)
	must(t, err)
	understudy.Is(t, "some", len(all) > 0, true)
	placed, _, err := client.Evaluations().Allocations(all[len(all)-1].ID, nil)
	must(t, err)
	understudy.Is(t, "placed", len(placed) > 0, true)
	_, _, err = client.Jobs().ForceEvaluate("web", nil)
	must(t, err)
}

func TestDeployments(t *testing.T) {
	client, world := connect(t)
	run(t, client, world, parse(t, client, file))
	latest, _, err := client.Jobs().LatestDeployment("web", nil)
	must(t, err)
	understudy.Is(t, "status", latest.Status, "successful")
	list, _, err := client.Deployments().List(nil)
	must(t, err)
	understudy.Is(t, "number", len(list), 1)
	placed, _, err := client.Deployments().Allocations(latest.ID, nil)
	must(t, err)
	understudy.Is(t, "number", len(placed), 2)

	canary := parse(t, client, strings.Replace(file, "count = 2", "count = 2\n update { canary = 1 }", 1))
	canary.TaskGroups[0].Tasks[0].Config["image"] = "redis:8"
	run(t, client, world, canary)
	latest, _, err = client.Jobs().LatestDeployment("web", nil)
	must(t, err)
	_, _, err = client.Deployments().PromoteAll(latest.ID, nil)
	must(t, err)
	world.Advance(t, "5m")
	done, _, err := client.Deployments().Info(latest.ID, nil)
	must(t, err)
	understudy.Is(t, "status", done.Status, "successful")
}

func TestBlockingQuery(t *testing.T) {
	client, world := connect(t)
	// A query with index 0 does not block, and an untouched table reports index 0, so register a job
	// first.
	run(t, client, world, parse(t, client, file))
	_, meta, err := client.Jobs().List(nil)
	must(t, err)
	woken := make(chan int, 1)
	go func() {
		jobs, _, err := client.Jobs().List(&api.QueryOptions{WaitIndex: meta.LastIndex, WaitTime: time.Minute})
		if err != nil {
			t.Error(err)
		}
		woken <- len(jobs)
	}()
	other := parse(t, client, file)
	name := "other"
	other.ID, other.Name = &name, &name
	_, _, err = client.Jobs().Register(other, nil)
	must(t, err)
	understudy.Is(t, "jobs", <-woken, 2)
}

func TestNodes(t *testing.T) {
	client, _ := connect(t)
	nodes, _, err := client.Nodes().List(nil)
	must(t, err)
	info, _, err := client.Nodes().Info(nodes[0].ID, nil)
	must(t, err)
	understudy.Is(t, "status", info.Status, "ready")
	_, _, err = client.Nodes().Allocations(nodes[0].ID, nil)
	must(t, err)
	pools, _, err := client.NodePools().List(nil)
	must(t, err)
	understudy.Is(t, "some pools", len(pools) > 0, true)
}

func TestNamespaces(t *testing.T) {
	client, _ := connect(t)
	_, err := client.Namespaces().Register(&api.Namespace{Name: "team", Description: "ours"}, nil)
	must(t, err)
	read, _, err := client.Namespaces().Info("team", nil)
	must(t, err)
	understudy.Is(t, "description", read.Description, "ours")
	job := parse(t, client, file)
	_, _, err = client.Jobs().Register(job, &api.WriteOptions{Namespace: "team"})
	must(t, err)
	list, _, err := client.Jobs().List(&api.QueryOptions{Namespace: "*"})
	must(t, err)
	understudy.Is(t, "namespace", list[0].Namespace, "team")
	_, _, err = client.Jobs().Deregister("web", true, &api.WriteOptions{Namespace: "team"})
	must(t, err)
	_, err = client.Namespaces().Delete("team", nil)
	must(t, err)
}

func TestACL(t *testing.T) {
	client, world := connect(t)
	_, err := client.ACLPolicies().Upsert(&api.ACLPolicy{Name: "reader", Rules: `namespace "default" { policy = "read" }`}, nil)
	must(t, err)
	token, _, err := client.ACLTokens().Create(&api.ACLToken{Name: "ci", Type: "client", Policies: []string{"reader"}}, nil)
	must(t, err)
	reader := as(t, world, token.SecretID)
	self, _, err := reader.ACLTokens().Self(nil)
	must(t, err)
	understudy.Is(t, "name", self.Name, "ci")
	_, _, err = reader.Jobs().List(nil)
	must(t, err)
	_, _, err = reader.Jobs().Register(parse(t, client, file), nil)
	if err == nil || !strings.Contains(err.Error(), "403") {
		t.Fatal(err)
	}
	_, err = client.ACLTokens().Delete(token.AccessorID, nil)
	must(t, err)
	_, err = client.ACLPolicies().Delete("reader", nil)
	must(t, err)
}

func TestSearchAndStatus(t *testing.T) {
	client, world := connect(t)
	run(t, client, world, parse(t, client, file))
	found, _, err := client.Search().PrefixSearch("we", "jobs", nil)
	must(t, err)
	understudy.Is(t, "job", found.Matches["jobs"][0], "web")
	leader, err := client.Status().Leader()
	must(t, err)
	understudy.Is(t, "has a leader", leader != "", true)
	regions, err := client.Regions().List()
	must(t, err)
	understudy.Is(t, "region", regions[0], "global")
}
