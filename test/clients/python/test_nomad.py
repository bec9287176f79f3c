"""The common Python client of the job scheduler, one capability a test."""

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
