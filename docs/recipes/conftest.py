"""Gives each pytest test a world of its own, in the fixture `world`. Copy this file next to your tests.

A test that needs several worlds, or one with settings, takes the fixture `new_world`, which makes them.

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
import urllib.parse
import urllib.request
import uuid

import pytest

#: Prefixes of the variables that the products' clients read.
PRODUCT_PREFIXES = ("VAULT_", "BAO_", "CONSUL_", "NOMAD_", "TFE_", "TF_", "TERRAFORM_CONFIG")

#: Prefixes of those variables that choose no server.
HARMLESS_PREFIXES = (
    "TF_ACC",
    "TF_DATA_DIR",
    "TF_IGNORE",
    "TF_IN_AUTOMATION",
    "TF_INPUT",
    "TF_LOG",
    "TF_PLUGIN_CACHE",
    "TF_VAR_",
)

#: Words of UNDERSTUDY_TRACE.
TRACE_WORDS = ("on-failure", "always", "never")

#: Calls of the server's control plane never go through a proxy.
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


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

    def mark(self, text):
        """Adds a line to the timeline, which traces show."""
        self._ask("POST", "/marks", {"text": text[:1000]})

    def write_trace(self, test, retry=0, command=()):
        """Writes a trace of the world, one HTML file, to the folder `understudy-traces`.

        The test is a dictionary with `file`, `title`, `result` and, if it failed, `error`.
        """
        title = f"{test['file']}-{test['title']}"
        digest = hashlib.sha256(test["title"].encode()).hexdigest()[:8]
        readable = re.sub(r"[^A-Za-z0-9._-]+", "-", title).lstrip("-.")[:120].rstrip("-.")
        name = f"{readable or 'test'}-{digest}" + (f"-retry{retry}" if retry else "")
        folder = os.path.abspath("understudy-traces")
        draft = os.path.join(folder, f".{uuid.uuid4().hex}.draft")
        try:
            self.mark(f"test {test['result']}: {test['title']}")
            page = self._send("POST", "/trace", {"command": list(command), "test": test})
            os.makedirs(folder, exist_ok=True)
            with open(draft, "xb") as file:
                file.write(page)
            path, number = os.path.join(folder, f"{name}.html"), 1
            while not _publish(draft, path):
                number += 1
                path = os.path.join(folder, f"{name}-{number}.html")
            print(f"understudy: trace of {json.dumps(test['title'])}:\n{path}", file=sys.stderr)
        except OSError as error:
            reason = " ".join(str(error).split())
            print(f"understudy: no trace of {json.dumps(test['title'])}: {reason}", file=sys.stderr)
        finally:
            if os.path.exists(draft):
                os.unlink(draft)

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
        with direct.open(request, timeout=30) as reply:
            return reply.read()


def _publish(draft, path):
    """Gives a complete file its name. Returns False if the name is taken."""
    try:
        os.link(draft, path)
        return True
    except FileExistsError:
        return False


def trace_condition():
    """Returns when tests write traces: `on-failure`, `always` or `never`."""
    word = os.environ.get("UNDERSTUDY_TRACE") or "never"
    if word not in TRACE_WORDS:
        words, shown = ", ".join(TRACE_WORDS), json.dumps(word)
        raise pytest.UsageError(f"UNDERSTUDY_TRACE must be one of {words} for tests, not {shown}")
    return word


def pytest_configure():
    """Refuses an unknown word of UNDERSTUDY_TRACE before any test starts."""
    trace_condition()


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
    """Keeps the error of a failed test for its trace; a further attempt begins without one."""
    report = (yield).get_result()
    if call.when == "setup":
        item.understudy_error = None
    if report.failed and item.understudy_error is None:
        item.understudy_error = _error_of(call.excinfo, item.config.rootpath)


def _error_of(excinfo, root):
    """Returns the text of an error, and the last line of the project's own code that it passed."""
    error = {"text": excinfo.exconly()[:20_000]}
    for entry in reversed(excinfo.traceback):
        try:
            place = entry.path.relative_to(root)
        except (TypeError, ValueError):
            continue
        if "site-packages" not in place.parts:
            return {**error, "at": f"{place}:{entry.lineno + 1}"}
    return error


def _names_of(item):
    """Returns the file and the title of a test."""
    file, *names = item.nodeid.split("::")
    return {"file": file, "title": "::".join(names)}


@pytest.fixture
def new_world(understudy_url, monkeypatch, request):
    """Creates worlds, such as `new_world(options={"mesh": {"aclEnabled": True}})`, which are deleted after
    the test. The test and its child processes have the variables of the latest world. With
    UNDERSTUDY_TRACE=on-failure, a failed test writes traces of its worlds; with always, every test."""
    made = []
    condition = trace_condition()
    # Variables that are already set must not lead clients to another server.
    for name in list(os.environ):
        if name.upper().startswith(PRODUCT_PREFIXES) and not name.startswith(HARMLESS_PREFIXES):
            monkeypatch.delenv(name)
    # A proxy would receive the requests for the server.
    host = urllib.parse.urlsplit(understudy_url).hostname
    for name in ("NO_PROXY", "no_proxy"):
        exceptions = [os.environ.get(name), "localhost", "127.0.0.1", "::1", host]
        monkeypatch.setenv(name, ",".join(each for each in exceptions if each))

    def make(**settings):
        made.append(World(understudy_url, **settings))
        if condition != "never":
            made[-1].mark(f"test started: {_names_of(request.node)['title']}")
        for name, value in made[-1].env.items():
            monkeypatch.setenv(name, value)
        return made[-1]

    yield make
    item = request.node
    error = getattr(item, "understudy_error", None)
    test = {**_names_of(item), "result": "passed" if error is None else "failed"}
    for world in made:
        if condition == "always" or (condition == "on-failure" and error is not None):
            # Plugins that repeat failed tests count the attempts.
            retry = getattr(item, "execution_count", 1) - 1
            command = ["pytest", *request.config.invocation_params.args]
            world.write_trace({**test, **({"error": error} if error else {})}, retry, command)
        world.delete()


@pytest.fixture
def world(new_world):
    """A world as a fresh server's."""
    return new_world()
