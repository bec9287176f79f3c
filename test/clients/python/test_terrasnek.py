"""Tests of a common Python client of the platform, one per capability."""

import pytest
from terrasnek.api import TFC


@pytest.fixture
def connect(new_world):
    world = new_world()
    platform = world.services["platform"]

    def make(who="owner"):
        client = TFC(platform["tokens"][who], url=platform["url"], skip_version_check=True)
        client.set_org("example-org")
        return client

    return make


def test_organizations(connect):
    client = connect("siteAdmin")
    client.orgs.create({"data": {"type": "organizations", "attributes": {"name": "second", "email": "a@example.com"}}})
    assert client.orgs.show("second")["data"]["attributes"]["email"] == "a@example.com"
    client.orgs.destroy("second")


def test_teams(connect):
    client = connect()
    made = client.teams.create({"data": {"type": "teams", "attributes": {"name": "builders"}}})
    assert "builders" in [each["attributes"]["name"] for each in client.teams.list()["data"]]
    client.teams.destroy(made["data"]["id"])


def test_admin_settings(connect):
    client = connect("siteAdmin")
    assert client.admin_settings.list_general()["data"]["attributes"]["api-rate-limit"] == 30
    client.admin_settings.update_general(
        {"data": {"type": "general-settings", "attributes": {"api-rate-limit": 50}}}
    )
    assert client.admin_settings.list_general()["data"]["attributes"]["api-rate-limit"] == 50


def test_registry_modules(connect):
    client = connect()
    client.registry_modules.create(
        {"data": {"type": "registry-modules", "attributes": {"name": "storage", "provider": "cloud1", "registry-name": "private"}}}
    )
    assert client.registry_modules.show("storage", "cloud1")["data"]["attributes"]["name"] == "storage"
    client.registry_modules.destroy("storage")
