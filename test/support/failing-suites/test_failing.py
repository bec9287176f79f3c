"""Suite whose seven tests fail, each with a cause that only the server knows."""

import json
import os
import urllib.request


def ask(url, method="GET", token=None, body=None):
    headers = {"X-Vault-Token": token} if token else {}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=1) as reply:
        text = reply.read()
        return reply.headers, json.loads(text) if text else None


def vault(method, path, body=None, token=None):
    token = token or os.environ["VAULT_TOKEN"]
    return ask(f"{os.environ['VAULT_ADDR']}/v1/{path}", method, token, body)[1]


def test_wrong_cas(world):
    vault("POST", "secret/data/app", {"data": {"color": "blue"}})
    vault("POST", "secret/data/app", {"data": {"color": "red"}, "options": {"cas": 0}})


def test_expired_token(world):
    token = vault("POST", "auth/token/create", {"ttl": "1m"})["auth"]["client_token"]
    world.advance("2m")
    vault("GET", "auth/token/lookup-self", token=token)


def test_job_that_never_runs(world):
    task = {"Name": "web", "Driver": "docker", "Config": {"image": "web"}}
    job = {"ID": "web", "Name": "web", "Type": "service", "Datacenters": ["dc9"]}
    job["TaskGroups"] = [{"Name": "web", "Tasks": [task]}]
    ask(f"{os.environ['NOMAD_ADDR']}/v1/jobs", "PUT", body={"Job": job})
    world.advance("10s")
    _, allocations = ask(f"{os.environ['NOMAD_ADDR']}/v1/job/web/allocations")
    assert allocations, "the job does not run"


def test_denied_path(world):
    policy = 'path "secret/data/app" { capabilities = ["read"] }'
    vault("PUT", "sys/policies/acl/app", {"policy": policy})
    token = vault("POST", "auth/token/create", {"policies": ["app"]})["auth"]["client_token"]
    vault("GET", "secret/data/other", token=token)


def test_sealed_node(world):
    world.fault("secrets-sealed")
    vault("GET", "secret/data/app")


def test_nothing_arrived(world):
    ask("http://127.0.0.1:2/v1/secret/data/app")


def test_hung_blocking_read(world):
    url = f"{os.environ['CONSUL_HTTP_ADDR']}/v1/kv/lock"
    ask(url, "PUT", body="free")
    index = ask(url)[0]["X-Consul-Index"]
    ask(f"{url}?wait=5m&index={index}")
