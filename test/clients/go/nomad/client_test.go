// Tests of the official client's requests to agents and client nodes, one per capability.
package nomad

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/nomad/api"

	"infra-understudy/test/clients/understudy"
)

const printing = `
job "web" {
  group "cache" {
    task "redis" {
      driver = "mock_driver"
      config {
        run_for       = "24h"
        stdout_string = "hello\n"
      }
      resources {
        cpu    = 500
        memory = 256
      }
    }
  }
}`

// placed runs the job and returns its only allocation.
func placed(t *testing.T) (*api.Client, understudy.World, *api.Allocation) {
	t.Helper()
	client, world := connect(t)
	run(t, client, world, parse(t, client, printing))
	stubs, _, err := client.Jobs().Allocations("web", false, nil)
	must(t, err)
	allocation, _, err := client.Allocations().Info(stubs[0].ID, nil)
	must(t, err)
	return client, world, allocation
}

func TestAgent(t *testing.T) {
	client, _ := connect(t)
	self, err := client.Agent().Self()
	must(t, err)
	understudy.Is(t, "leader", self.Stats["nomad"]["leader"], "true")
	name, err := client.Agent().NodeName()
	must(t, err)
	understudy.Is(t, "has a name", name != "", true)
	region, err := client.Agent().Region()
	must(t, err)
	understudy.Is(t, "region", region, "global")
	members, err := client.Agent().Members()
	must(t, err)
	understudy.Is(t, "role", members.Members[0].Tags["role"], "nomad")
	servers, err := client.Agent().Servers()
	must(t, err)
	understudy.Is(t, "servers", len(servers), 1)
	health, err := client.Agent().Health()
	must(t, err)
	understudy.Is(t, "well", health.Server.Ok && health.Client.Ok, true)
	autopilot, _, err := client.Operator().AutopilotServerHealth(nil)
	must(t, err)
	understudy.Is(t, "healthy", autopilot.Healthy, true)
	raft, err := client.Operator().RaftGetConfiguration(nil)
	must(t, err)
	understudy.Is(t, "leads", raft.Servers[0].Leader, true)
}

func TestStatistics(t *testing.T) {
	client, _, allocation := placed(t)
	usage, err := client.Allocations().Stats(allocation, nil)
	must(t, err)
	rss := usage.Tasks["redis"].ResourceUsage.MemoryStats.RSS
	understudy.Is(t, "takes memory", rss > 0 && rss < 256<<20, true)
	host, err := client.Nodes().Stats(allocation.NodeID, nil)
	must(t, err)
	understudy.Is(t, "has memory", host.Memory.Total > host.Memory.Used, true)
	checks, err := client.Allocations().Checks(allocation.ID, nil)
	must(t, err)
	understudy.Is(t, "checks", len(checks), 0)
	must(t, client.Nodes().GC(allocation.NodeID, nil))
	if err := client.Allocations().GC(allocation, nil); err == nil {
		t.Fatal("what runs is not collected")
	}
}

func TestRestartAndSignal(t *testing.T) {
	client, world, allocation := placed(t)
	must(t, client.Allocations().Signal(allocation, nil, "redis", "SIGHUP"))
	must(t, client.Allocations().Restart(allocation, "redis", nil))
	world.Advance(t, "1m")
	must(t, client.Allocations().RestartAllTasks(allocation, nil))
	world.Advance(t, "1m")
	again, _, err := client.Allocations().Info(allocation.ID, nil)
	must(t, err)
	understudy.Is(t, "restarts", again.TaskStates["redis"].Restarts, uint64(2))
	understudy.Is(t, "state", again.TaskStates["redis"].State, "running")
	if err := client.Allocations().Restart(allocation, "nope", nil); err == nil {
		t.Fatal("an unknown task is refused")
	}
}

// first returns the data of the first non-empty frame of a stream.
func first(t *testing.T, frames <-chan *api.StreamFrame, errs <-chan error) string {
	t.Helper()
	for {
		select {
		case frame := <-frames:
			if frame != nil && len(frame.Data) > 0 {
				return string(frame.Data)
			}
		case err := <-errs:
			t.Fatal(err)
		case <-time.After(20 * time.Second):
			t.Fatal("nothing came")
		}
	}
}

func TestLogsAndFiles(t *testing.T) {
	client, _, allocation := placed(t)
	cancel := make(chan struct{})
	defer close(cancel)
	frames, errs := client.AllocFS().Logs(allocation, true, "redis", "stdout", "start", 0, cancel, nil)
	understudy.Is(t, "printed", first(t, frames, errs), "hello\n")
	frames, errs = client.AllocFS().Stream(allocation, "alloc/logs/redis.stdout.0", "end", 3, cancel, nil)
	understudy.Is(t, "the end", first(t, frames, errs), "lo\n")
	folder, _, err := client.AllocFS().List(allocation, "/", nil)
	must(t, err)
	understudy.Is(t, "folder", folder[0].Name, "alloc")
	stat, _, err := client.AllocFS().Stat(allocation, "alloc/logs/redis.stdout.0", nil)
	must(t, err)
	understudy.Is(t, "size", stat.Size, int64(6))
	read := func(body io.ReadCloser, err error) string {
		must(t, err)
		defer body.Close()
		text, err := io.ReadAll(body)
		must(t, err)
		return string(text)
	}
	all := read(client.AllocFS().Cat(allocation, "alloc/logs/redis.stdout.0", nil))
	understudy.Is(t, "content", all, "hello\n")
	part := read(client.AllocFS().ReadAt(allocation, "alloc/logs/redis.stdout.0", 1, 3, nil))
	understudy.Is(t, "part", part, "ell")
}

func TestVariables(t *testing.T) {
	client, _ := connect(t)
	made, _, err := client.Variables().CheckedCreate(&api.Variable{
		Path:  "app/db",
		Items: api.VariableItems{"user": "ada"},
	}, nil)
	must(t, err)
	read, _, err := client.Variables().Read("app/db", nil)
	must(t, err)
	understudy.Is(t, "user", read.Items["user"], "ada")
	made.Items["user"] = "bob"
	_, _, err = client.Variables().CheckedUpdate(made, nil)
	must(t, err)
	_, _, err = client.Variables().CheckedUpdate(made, nil)
	var conflict api.ErrCASConflict
	understudy.Is(t, "conflict", errors.As(err, &conflict), true)
	understudy.Is(t, "what stands there", conflict.Conflict.Items["user"], "bob")
	list, _, err := client.Variables().PrefixList("app/", nil)
	must(t, err)
	understudy.Is(t, "path", list[0].Path, "app/db")
	_, err = client.Variables().Delete("app/db", nil)
	must(t, err)
	_, _, err = client.Variables().Read("app/db", nil)
	understudy.Is(t, "gone", errors.Is(err, api.ErrVariablePathNotFound), true)
}

func TestSchedulerConfiguration(t *testing.T) {
	client, world := connect(t)
	read, _, err := client.Operator().SchedulerGetConfiguration(nil)
	must(t, err)
	config := read.SchedulerConfig
	understudy.Is(t, "algorithm", config.SchedulerAlgorithm, api.SchedulerAlgorithmBinpack)
	config.PauseEvalBroker = true
	set, _, err := client.Operator().SchedulerCASConfiguration(config, nil)
	must(t, err)
	understudy.Is(t, "updated", set.Updated, true)
	set, _, err = client.Operator().SchedulerCASConfiguration(config, nil)
	must(t, err)
	understudy.Is(t, "updated", set.Updated, false)
	run(t, client, world, parse(t, client, printing))
	evaluations, _, err := client.Jobs().Evaluations("web", nil)
	must(t, err)
	understudy.Is(t, "held", evaluations[0].Status, "pending")
	config.PauseEvalBroker = false
	_, _, err = client.Operator().SchedulerSetConfiguration(config, nil)
	must(t, err)
	world.Advance(t, "1m")
	evaluations, _, err = client.Jobs().Evaluations("web", nil)
	must(t, err)
	understudy.Is(t, "goes on", evaluations[0].Status, "complete")
}

func TestSystem(t *testing.T) {
	client, world, _ := placed(t)
	must(t, client.System().ReconcileSummaries())
	summary, _, err := client.Jobs().Summary("web", nil)
	must(t, err)
	understudy.Is(t, "running", summary.Summary["cache"].Running, 1)
	_, _, err = client.Jobs().Deregister("web", false, nil)
	must(t, err)
	world.Advance(t, "1m")
	must(t, client.System().GarbageCollect())
	_, _, err = client.Jobs().Info("web", nil)
	if err == nil || !strings.Contains(err.Error(), "404") {
		t.Fatal(err)
	}
	allocations, _, err := client.Allocations().List(nil)
	must(t, err)
	understudy.Is(t, "allocations", len(allocations), 0)
}

func TestKeyring(t *testing.T) {
	client, _ := connect(t)
	keys, _, err := client.Keyring().List(nil)
	must(t, err)
	understudy.Is(t, "keys", len(keys), 1)
	made, _, err := client.Keyring().Rotate(&api.KeyringRotateOptions{Full: true}, nil)
	must(t, err)
	understudy.Is(t, "another", made.KeyID != keys[0].KeyID, true)
	_, err = client.Keyring().Delete(&api.KeyringDeleteOptions{KeyID: keys[0].KeyID}, nil)
	must(t, err)
	_, err = client.Keyring().Delete(&api.KeyringDeleteOptions{KeyID: made.KeyID}, nil)
	if err == nil || !strings.Contains(err.Error(), "active root key") {
		t.Fatal(err)
	}
}

func TestMetrics(t *testing.T) {
	client, _, _ := placed(t)
	summary, _, err := client.Operator().MetricsSummary(nil)
	must(t, err)
	for _, gauge := range summary.Gauges {
		if gauge.Name == "nomad.client.allocations.running" {
			understudy.Is(t, "running", gauge.Value, float32(1))
			return
		}
	}
	t.Fatal("no gauge of allocations that run")
}
