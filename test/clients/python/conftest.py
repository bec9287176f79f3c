"""Gives each test its own world on the server that test/clients/run.ts started."""

import json
import os
from urllib.parse import urlsplit

import pytest
import requests

results = []


class World:
    """Isolated state of all services on the server."""

    def __init__(self, options):
        with open(os.environ["UNDERSTUDY_READY"], encoding="utf-8") as file:
            info = json.load(file)
        self.control = f"http://127.0.0.1:{info['ports']['control']}/_mock"
        made = self._post("/worlds", {"options": options})
        self.id = made["id"]
        self.services = made["info"]["services"]

    def _post(self, path, body):
        reply = requests.post(self.control + path, json=body, timeout=30)
        reply.raise_for_status()
        return reply.json()

    def advance(self, by):
        """Moves the clock forward by a Go duration."""
        self._post(f"/worlds/{self.id}/clock/advance", {"by": by})

    def set_options(self, **changes):
        """Changes options of the world, by API."""
        reply = requests.patch(f"{self.control}/worlds/{self.id}/options", json=changes, timeout=30)
        reply.raise_for_status()

    def account_token(self, namespace, account):
        """Returns a token of a service account of the world's orchestrator."""
        body = {"namespace": namespace, "service_account": account}
        return self._post(f"/worlds/{self.id}/secrets/orchestrator/tokens", body)["token"]

    def address(self, service):
        """Returns host and port, for clients whose address cannot have a path; they name the world in a header."""
        at = urlsplit(self.services[service]["url"])
        return at.hostname, at.port

    @property
    def header(self):
        return {"X-Mock-World": self.id}

    def end(self):
        requests.delete(f"{self.control}/worlds/{self.id}", timeout=30)


@pytest.fixture
def new_world():
    """Creates worlds and deletes them at the end of the test."""
    made = []

    def make(**options):
        made.append(World(options))
        return made[-1]

    yield make
    for world in made:
        world.end()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" or report.outcome != "passed":
        results.append(
            {
                "file": item.path.name,
                "capability": item.name.removeprefix("test_").replace("_", " "),
                "outcome": report.outcome,
                "message": str(report.longreprtext).strip().splitlines()[-1:] if report.failed else [],
            }
        )


def pytest_sessionfinish():
    if "UNDERSTUDY_RESULTS" in os.environ:
        with open(os.environ["UNDERSTUDY_RESULTS"], "w", encoding="utf-8") as file:
            json.dump(results, file)
