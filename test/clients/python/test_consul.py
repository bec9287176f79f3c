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
