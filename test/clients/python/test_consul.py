"""Tests of the common Python client of the service mesh, one per capability."""

import threading

import consul
import pytest


@pytest.fixture
def client(new_world):
    world = new_world()
    host, port = world.address("mesh")
    client = consul.Consul(host=host, port=port, token=world.services["mesh"]["token"])
    client.http.session.headers.update(world.header)
    return client


def test_kv(client):
    assert client.kv.put("app/a", "1", flags=42)
    index, pair = client.kv.get("app/a")
    assert (pair["Value"], pair["Flags"]) == (b"1", 42)
    assert int(index) > 0
    assert client.kv.get("app/none")[1] is None
    assert client.kv.get("app/", keys=True)[1] == ["app/a"]
    assert client.kv.put("app/a", "2", cas=0) is False
    assert client.kv.delete("app/", recurse=True)


def test_acl(client):
    policy = client.acl.policy.create(name="reader", rules={"key_prefix": {"": {"policy": "read"}}})
    assert "reader" in [each["Name"] for each in client.acl.policy.list()]
    token = client.acl.token.create(policies_id=[policy["ID"]], description="ci")
    assert client.acl.token.read_self(token=token["SecretID"])["Description"] == "ci"
    with pytest.raises(consul.ACLPermissionDenied):
        client.kv.put("a", "1", token=token["SecretID"])
    assert client.acl.token.delete(token["AccessorID"])
    assert client.acl.policy.delete(policy["ID"])


def test_services_and_checks(client):
    check = consul.Check.ttl("30s")
    assert client.agent.service.register("web", service_id="w1", port=80, tags=["a"], check=check)
    assert client.health.service("web", passing=True)[1] == []
    assert client.agent.check.ttl_pass("service:w1", "alive")
    index, [instance] = client.health.service("web", passing=True)
    assert (instance["Service"]["ID"], instance["Service"]["Tags"]) == ("w1", ["a"])
    assert int(index) > 0
    assert "w1" in client.agent.services()
    assert client.catalog.services()[1]["web"] == ["a"]
    assert client.agent.maintenance(True, "upgrade")
    assert client.health.service("web", passing=True)[1] == []
    assert client.agent.maintenance(False)
    assert client.agent.service.deregister("w1")
    assert client.catalog.service("web")[1] == []


def test_leader_election(client):
    """Two candidates lock a key; the leader's check fails, and the other one takes over."""
    sessions = []
    for name in ("one", "two"):
        check = consul.Check.ttl("30s")
        client.agent.service.register(name, check=check)
        client.agent.check.ttl_pass(f"service:{name}")
        checks = ["serfHealth", f"service:{name}"]
        sessions.append(client.session.create(name=name, checks=checks, lock_delay=0))
    first, second = sessions
    assert client.kv.put("leader", "one", acquire=first)
    assert not client.kv.put("leader", "two", acquire=second)
    client.agent.check.ttl_fail("service:one")
    assert "Session" not in client.kv.get("leader")[1]
    assert [each["ID"] for each in client.session.list()[1]] == [second]


def test_queries(client):
    """The client sends no token with queries, so its session does."""
    client.http.session.headers["X-Consul-Token"] = client.token
    for port in (8081, 8082):
        check = consul.Check.ttl("30s")
        client.agent.service.register("web", service_id=f"web-{port}", port=port, check=check)
    client.agent.check.ttl_pass("service:web-8082")
    made = client.query.create("web", name="healthy", onlypassing=True, ttl="10s")
    [query] = client.query.get(made["ID"])
    assert query["Service"]["OnlyPassing"]
    found = client.query.execute("healthy")
    assert [each["Service"]["Port"] for each in found["Nodes"]] == [8082]
    assert found["DNS"]["TTL"] == "10s"
    assert client.query.explain("healthy")["Query"]["Name"] == "healthy"
    assert client.query.delete(made["ID"])
    assert client.query.list() == []


def test_intentions_and_configuration_entries(client):
    intentions = client.connect.intentions
    assert intentions.check("web", "db")
    assert intentions.upsert("web", "db", action="deny")
    assert not intentions.check("web", "db")
    assert intentions.read("web", "db")["Precedence"] == 9
    assert [each["SourceName"] for each in intentions.match("destination", "db")["db"]] == ["web"]
    assert intentions.delete("web", "db")
    assert client.config.set("service-defaults", "web", {"Protocol": "http"})
    assert client.config.get("service-defaults", "web")["Protocol"] == "http"
    assert [each["Name"] for each in client.config.list("service-defaults")] == ["web"]
    assert client.config.delete("service-defaults", "web")
    assert client.config.list("service-defaults") == []


def test_events_coordinates_and_snapshots(client):
    fired = client.event.fire("deploy", "v2")
    index, [event] = client.event.list("deploy")
    assert (event["ID"], event["Payload"]) == (fired["ID"], b"v2")
    assert int(index) > 0
    assert len(client.coordinate.nodes()[1]) == 1
    client.kv.put("a", "1")
    saved = client.snapshot.save()
    client.kv.put("a", "2")
    assert client.snapshot.restore(saved)
    assert client.kv.get("a")[1]["Value"] == b"1"


def test_blocking_read(client):
    """A read with an index waits until a check of the service changes."""
    client.agent.service.register("web", check=consul.Check.ttl("30s"))
    index, _ = client.health.service("web", passing=True)
    threading.Timer(0.2, client.agent.check.ttl_pass, ["service:web"]).start()
    later, instances = client.health.service("web", passing=True, index=index, wait="1m")
    assert int(later) > int(index)
    assert len(instances) == 1
