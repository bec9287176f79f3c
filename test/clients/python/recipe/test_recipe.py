"""Tests of the fixtures in docs/recipes/conftest.py, which test/clients/python.ts copies to this directory."""

import subprocess
import sys

import hvac
import pytest
import requests


def test_recipe_finds_a_world_of_its_own(world):
    client = hvac.Client()
    client.secrets.kv.v2.create_or_update_secret("app", {"user": "ada"})
    read = client.secrets.kv.v2.read_secret_version("app", raise_on_deleted_version=True)
    assert read["data"]["data"] == {"user": "ada"}
    assert len(world.requests(path="/v1/secret/data/app")) == 2


def test_recipe_shares_nothing_between_worlds(new_world):
    fixtures = {"secrets": {"kv": {"secret": {"app": {"user": "ada"}}}}}
    first, second = new_world(fixtures=fixtures), new_world()
    assert first.env["VAULT_ADDR"] != second.env["VAULT_ADDR"]
    with pytest.raises(hvac.exceptions.InvalidPath):
        hvac.Client().secrets.kv.v2.read_secret_version("app", raise_on_deleted_version=True)
    second.load(fixtures)
    assert hvac.Client().secrets.kv.v2.read_secret_version("app", raise_on_deleted_version=True)


def test_recipe_breaks_and_moves_on(world):
    client = hvac.Client()
    token = client.auth.token.create(ttl="1h")["auth"]["client_token"]
    world.advance("1h")
    with pytest.raises(hvac.exceptions.Forbidden):
        hvac.Client(token=token).auth.token.lookup_self()
    world.fault("secrets-sealed")
    with pytest.raises(hvac.exceptions.VaultDown):
        client.secrets.kv.v2.read_secret_version("app", raise_on_deleted_version=True)


def test_recipe_hands_the_environment_on(world):
    program = "import os; print(os.environ['CONSUL_HTTP_ADDR'], os.environ['NOMAD_TOKEN'])"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    address, token = told.stdout.split()
    assert address == world.env["CONSUL_HTTP_ADDR"]
    assert requests.put(f"{address}/v1/kv/a", data="1", timeout=30).text.strip() == "true"
    jobs = requests.get(
        f"{world.env['NOMAD_ADDR']}/v1/jobs", headers={"X-Nomad-Token": token}, timeout=30
    )
    assert jobs.json() == []
