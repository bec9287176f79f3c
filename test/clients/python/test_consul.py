"""Tests of the common Python client of the service mesh, one per capability."""

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
