"""Tests of the common Python client of the job scheduler, one per capability."""

import nomad
import pytest
import requests
from nomad.api import exceptions

FILE = """
job "web" {
  group "cache" {
    count = 2
    task "redis" {
      driver = "docker"
      config { image = "redis:7" }
    }
  }
}
"""


@pytest.fixture
def connect(new_world):
    def make(token=None, world=None):
        world = world or new_world()
        session = requests.Session()
        session.headers.update(world.header)
        host, port = world.address("scheduler")
        token = token or world.services["scheduler"]["token"]
        return nomad.Nomad(host=host, port=port, token=token, session=session), world

    return make


@pytest.fixture
def running(connect):
    client, world = connect()
    client.jobs.register_job({"Job": client.jobs.parse(FILE)})
    world.advance("5m")
    return client, world


def test_parse(connect):
    client, _ = connect()
    assert client.jobs.parse(FILE)["TaskGroups"][0]["Tasks"][0]["Config"] == {"image": "redis:7"}


def test_register(running):
    client, _ = running
    assert client.job.get_job("web")["Status"] == "running"
    assert [job["ID"] for job in client.jobs.get_jobs()] == ["web"]
    assert client.job.get_summary("web")["Summary"]["cache"]["Running"] == 2
    client.job.deregister_job("web", purge=True)
    with pytest.raises(exceptions.URLNotFoundNomadException):
        client.job.get_job("web")


def test_plan_versions_and_revert(running):
    client, _ = running
    job = {"Job": client.jobs.parse(FILE.replace("redis:7", "redis:8"))}
    assert client.job.plan_job("web", job, diff=True)["Diff"]["Type"] == "Edited"
    client.job.register_job("web", job)
    assert len(client.job.get_versions("web")["Versions"]) == 2
    client.job.revert_job("web", 0)
    assert client.job.get_job("web")["Version"] == 2


def test_allocations_and_evaluations(running):
    client, _ = running
    allocations = client.job.get_allocations("web")
    assert client.allocation.get_allocation(allocations[0]["ID"])["ClientStatus"] == "running"
    assert len(client.allocations.get_allocations()) == 2
    evaluations = client.job.get_evaluations("web")
    assert client.evaluation.get_evaluation(evaluations[0]["ID"])["JobID"] == "web"
    assert client.evaluations.get_evaluations()


def test_deployments(running):
    client, _ = running
    assert client.job.get_deployment("web")["Status"] == "successful"
    assert len(client.deployments.get_deployments()) == 1


def test_nodes(connect):
    client, _ = connect()
    assert client.node.get_node(client.nodes.get_nodes()[0]["ID"])["Status"] == "ready"


def test_namespaces(connect):
    client, _ = connect()
    client.namespace.create_namespace({"Name": "team", "Description": "ours"})
    assert client.namespace.get_namespace("team")["Description"] == "ours"
    assert len(client.namespaces.get_namespaces()) == 2
    client.namespace.delete_namespace("team")


def test_acl(connect):
    client, world = connect()
    client.acl.create_policy("reader", {"Name": "reader", "Rules": 'namespace "default" { policy = "read" }'})
    token = client.acl.create_token({"Name": "ci", "Type": "client", "Policies": ["reader"]})
    reader, _ = connect(token["SecretID"], world)
    assert reader.acl.get_self_token()["Name"] == "ci"
    with pytest.raises(exceptions.BaseNomadException):
        reader.jobs.register_job({"Job": client.jobs.parse(FILE)})
    client.acl.delete_token(token["AccessorID"])
    client.acl.delete_policy("reader")


def test_pause_deployment(running):
    client, world = running
    client.jobs.register_job({"Job": client.jobs.parse(FILE.replace("redis:7", "redis:8"))})
    world.advance("100ms")
    deployment = client.job.get_deployment("web")
    client.deployment.pause_deployment(deployment["ID"], pause=True)
    assert client.deployment.get_deployment(deployment["ID"])["Status"] == "paused"
    client.deployment.pause_deployment(deployment["ID"], pause=False)
    assert client.deployment.get_deployment(deployment["ID"])["Status"] == "running"


def test_search_by_prefix(running):
    client, _ = running
    assert client.search.search("we", "jobs")["Matches"] == {"jobs": ["web"]}
    fuzzy = client.search.fuzzy_search("edis", "jobs")["Matches"]
    assert fuzzy["tasks"][0]["ID"] == "redis"


def test_scaling_policies(connect):
    client, _ = connect()
    text = FILE.replace("count = 2", "count = 2\n    scaling {\n      max = 5\n    }")
    client.jobs.register_job({"Job": client.jobs.parse(text)})
    (policy,) = client.scaling.get_scaling_policies()
    assert client.scaling.get_scaling_policy(policy["ID"])["Max"] == 5


def test_event_stream(connect):
    client, _ = connect()
    client.jobs.register_job({"Job": client.jobs.parse(FILE)})
    stream, stop, events = client.event.stream.get_stream(topic={"Job": "web"})
    stream.start()
    try:
        told = events.get(timeout=20)
        while not told.get("Events"):
            told = events.get(timeout=20)
        assert told["Events"][0]["Key"] == "web"
    finally:
        stop.set()


PRINTING = """
job "web" {
  group "cache" {
    task "redis" {
      driver = "mock_driver"
      config {
        run_for       = "24h"
        stdout_string = "hello"
      }
    }
  }
}
"""


@pytest.fixture
def placed(connect):
    """Returns a client, its world and the allocation of a running job."""
    client, world = connect()
    client.jobs.register_job({"Job": client.jobs.parse(PRINTING)})
    world.advance("5m")
    (allocation,) = client.job.get_allocations("web")
    return client, world, allocation


def test_agent_and_status(connect):
    client, _ = connect()
    assert client.agent.get_agent()["stats"]["nomad"]["leader"] == "true"
    assert client.agent.get_members()["Members"][0]["Tags"]["role"] == "nomad"
    assert client.agent.get_servers() == ["127.0.0.1:4647"]
    assert client.status.leader.get_leader() == "127.0.0.1:4647"
    assert client.status.peers.get_peers() == ["127.0.0.1:4647"]
    assert client.regions.get_regions() == ["global"]
    assert client.operator.get_configuration()["Servers"][0]["Leader"]


def test_statistics(placed):
    client, _, allocation = placed
    usage = client.client.allocation.read_allocation_stats(allocation["ID"])
    assert 0 < usage["Tasks"]["redis"]["ResourceUsage"]["MemoryStats"]["RSS"] < 300 * 2**20
    assert client.client.stats.read_stats(allocation["NodeID"])["Memory"]["Total"] > 0
    client.client.gc_all_allocations.garbage_collect(allocation["NodeID"])
    with pytest.raises(exceptions.BaseNomadException):
        client.client.gc_allocation.garbage_collect(allocation["ID"])


def test_restart_and_signal(placed):
    client, world, allocation = placed
    client.client.allocation.signal_allocation(allocation["ID"], "SIGHUP", "redis")
    client.client.allocation.restart_allocation(allocation["ID"])
    world.advance("1m")
    state = client.allocation.get_allocation(allocation["ID"])["TaskStates"]["redis"]
    assert (state["Restarts"], state["State"]) == (1, "running")


def test_logs_and_files(placed):
    client, _, allocation = placed
    log = "alloc/logs/redis.stdout.0"
    assert client.client.stream_logs.stream(allocation["ID"], "redis", "stdout", plain=True) == "hello"
    names = [file["Name"] for file in client.client.ls.list_files(allocation["ID"])]
    assert names == ["alloc", "redis"]
    assert client.client.stat.stat_file(allocation["ID"], log)["Size"] == 5
    assert client.client.cat.read_file(allocation["ID"], log) == "hello"
    assert client.client.read_at.read_file_offset(allocation["ID"], 1, 3, log) == "ell"


def test_variables(connect):
    client, _ = connect()
    made = client.variable.create_variable("app/db", {"Items": {"user": "ada"}}, cas=0)
    assert client.variable.get_variable("app/db")["Items"] == {"user": "ada"}
    with pytest.raises(exceptions.VariableConflict):
        client.variable.create_variable("app/db", {"Items": {"user": "bob"}}, cas=0)
    client.variable.create_variable("app/db", {"Items": {"user": "bob"}}, cas=made["ModifyIndex"])
    assert [each["Path"] for each in client.variables.get_variables("app/")] == ["app/db"]
    client.variable.delete_variable("app/db")
    with pytest.raises(exceptions.URLNotFoundNomadException):
        client.variable.get_variable("app/db")


def test_system(placed):
    client, world, _ = placed
    client.system.reconcile_summaries()
    assert client.job.get_summary("web")["Summary"]["cache"]["Running"] == 1
    client.job.deregister_job("web")
    world.advance("1m")
    client.system.initiate_garbage_collection()
    assert client.jobs.get_jobs() == []
    assert client.allocations.get_allocations() == []


def test_metrics(placed):
    client, _, _ = placed
    gauges = {gauge["Name"]: gauge["Value"] for gauge in client.metrics.get_metrics()["Gauges"]}
    assert gauges["nomad.client.allocations.running"] == 1
