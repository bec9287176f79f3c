"""Gives each pytest test a world of its own. Copy this file next to your tests.

This file needs only pytest and the standard library. The variable UNDERSTUDY_URL names a running
server, such as a container. Without it, the tests start a server with INFRA_UNDERSTUDY_COMMAND
(default: `npx infra-understudy`; the executable file works as well) and stop it after the last test.

    def test_reads_a_secret(world):
        client = hvac.Client()  # finds VAULT_ADDR and VAULT_TOKEN
        client.secrets.kv.v2.create_or_update_secret("app", {"user": "ada"})
        assert my_program.user() == "ada"
        assert len(world.requests(path="/v1/secret/data/app")) == 2
"""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import urllib.request

import pytest

#: Prefixes of the variables that the products' clients read.
PRODUCT_PREFIXES = (
    "VAULT_",
    "BAO_",
    "CONSUL_",
    "NOMAD_",
    "TFE_",
    "TF_CLOUD_",
    "TF_TOKEN_",
    "TF_CLI_CONFIG_FILE",
)


class World:
    """One isolated universe of the server, with addresses of its own."""

    def __init__(self, url, **request):
        self._url = f"{url.rstrip('/')}/_mock/worlds"
        # The TTL deletes the world if the tests are killed.
        made = self._ask("POST", "", {"listen": True, "ttl": "10m", **request})
        self._url += f"/{made['id']}"
        #: Variables by which clients and command lines find the world.
        self.env = self._ask("GET", "/env?format=json")

    def requests(self, **match):
        """Returns the requests to the world that match a method, path, operation and so on."""
        return self._ask("POST", "/requests/find", {"match": match})["requests"]

    def fault(self, preset, **parameters):
        """Applies a failure preset, such as `secrets-sealed`, with its parameters."""
        return self._ask("POST", f"/faults/presets/{preset}", parameters)

    def advance(self, by):
        """Advances the world's clock by a Go duration, such as `1h30m`."""
        return self._ask("POST", "/clock/advance", {"by": by})

    def load(self, fixtures):
        """Replaces the world's state by fixtures."""
        self._ask("PUT", "/state", fixtures)

    def write_trace(self, test):
        """Writes a trace of the world, one HTML file, to the folder `understudy-traces`."""
        digest = hashlib.sha256(test.encode()).hexdigest()[:8]
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", test).strip("-.")[:120]
        path = os.path.abspath(os.path.join("understudy-traces", f"{name}-{digest}"))
        try:
            page = self._send("GET", "/trace")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            suffix, number = ".html", 1
            while os.path.exists(path + suffix):
                number += 1
                suffix = f"-{number}.html"
            with open(path + suffix, "xb") as file:
                file.write(page)
            print(path + suffix, file=sys.stderr)
        except OSError as error:
            print(f"understudy: no trace of {test}: {error}", file=sys.stderr)

    def delete(self):
        self._ask("DELETE", "")

    def _ask(self, method, path, body=None):
        text = self._send(method, path, body)
        return json.loads(text) if text else None

    def _send(self, method, path, body=None):
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if token := os.environ.get("UNDERSTUDY_CONTROL_TOKEN"):
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.read()


@pytest.fixture(scope="session")
def understudy_url(tmp_path_factory):
    """Address of the server: one server for all tests, or one per worker of pytest-xdist."""
    if url := os.environ.get("UNDERSTUDY_URL"):
        yield url
        return
    ready = tmp_path_factory.mktemp("understudy") / "ready.json"
    command = shlex.split(os.environ.get("INFRA_UNDERSTUDY_COMMAND", "npx infra-understudy"))
    flags = ["--port=0", "--dialect=vendor", "--log-level=error", "--end-with-parent"]
    server = subprocess.Popen([*command, *flags, f"--ready-file={ready}"], stdout=subprocess.PIPE)
    try:
        # Waits for the ready line. A server that cannot start closes its output instead.
        assert server.stdout.readline(), "the server did not start"
        port = json.loads(ready.read_text())["ports"]["control"]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(10)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Notes whether a test has failed, for its trace."""
    report = (yield).get_result()
    item.has_failed = getattr(item, "has_failed", False) or report.failed


@pytest.fixture
def new_world(understudy_url, monkeypatch, request):
    """Creates worlds, such as `new_world(options={"mesh": {"aclEnabled": True}})`, which are deleted after
    the test. The test and its child processes have the variables of the latest world. With
    UNDERSTUDY_TRACE=on-failure, a failed test writes traces of its worlds; with always, every test."""
    made = []
    # Variables that are already set must not lead clients to another server.
    for name in list(os.environ):
        if name.startswith(PRODUCT_PREFIXES):
            monkeypatch.delenv(name)

    def make(**request):
        made.append(World(understudy_url, **request))
        for name, value in made[-1].env.items():
            monkeypatch.setenv(name, value)
        return made[-1]

    yield make
    condition = os.environ.get("UNDERSTUDY_TRACE") or "never"
    failed = getattr(request.node, "has_failed", False)
    for world in made:
        if condition == "always" or (condition == "on-failure" and failed):
            world.write_trace(request.node.nodeid)
        world.delete()


@pytest.fixture
def world(new_world):
    """A world as a fresh server's."""
    return new_world()
