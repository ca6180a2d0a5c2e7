"""docker-compose.yml, the Dockerfile and docs/settings.md agree with the settings, the commands and each other.

`RecordedSettings` runs gateway/settings.py with a reader that notes what is asked for, so that nothing is listed twice.
"""

import importlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from runpy import run_path
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

import environs
import pytest
import yaml
from django.conf import settings
from django.core.management import get_commands, load_command_class
from pymongo.uri_parser import parse_uri

ROOT = Path(__file__).resolve().parents[2]
OUR_IMAGE = "mobile-world-gateway"
ONE_SHOT = {"mongo-init", "setup"}
# Of servers whose port is not in their command.
DEFAULT_PORTS = {"cassandra": 9042}

Service = dict[str, Any]


class Variable(NamedTuple):
    kind: str
    default: object


class RecordedSettings:
    """Stands in for `environs.Env`: an empty environment except for GATEWAY_ENV, and a note of every variable read."""

    def __init__(self, environment: str) -> None:
        self.environment = environment
        self.variables: dict[str, Variable] = {}

    def __getattr__(self, kind: str) -> Any:
        def read(name: str, default: object = None, **_: Any) -> object:
            self.variables[name] = Variable(kind, default)
            return self.environment if name == "GATEWAY_ENV" else default

        return read

    def read_env(self, *_: Any, **__: Any) -> None:
        """The addresses of the local stack are none of the defaults."""


@cache
def settings_variables(environment: str = "production") -> dict[str, Variable]:
    recorder = RecordedSettings(environment)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(environs, "Env", lambda: recorder)
        run_path(str(ROOT / "gateway" / "settings.py"))
    return recorder.variables


@cache
def compose() -> dict[str, Any]:
    return cast("dict[str, Any]", yaml.safe_load((ROOT / "docker-compose.yml").read_text()))


def services() -> dict[str, Service]:
    return cast("dict[str, Service]", compose()["services"])


def our_services() -> dict[str, Service]:
    return {name: service for name, service in services().items() if service["image"] == OUR_IMAGE}


def our_environment() -> dict[str, str]:
    return cast("dict[str, str]", services()["web"]["environment"])


@cache
def dockerfile() -> list[tuple[str, str]]:
    """Instruction and argument of every line, continuations joined, comments left out."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in lines]


def dockerfile_arguments(instruction: str) -> list[str]:
    return [argument for found, argument in dockerfile() if found == instruction]


def option(command: list[str], name: str) -> str:
    return command[command.index(name) + 1]


def listening_port(service_name: str) -> int:
    service = services()[service_name]
    if service["image"] == OUR_IMAGE:
        return int(option(json.loads(dockerfile_arguments("CMD")[-1]), "--port"))
    if service_name in DEFAULT_PORTS:
        return DEFAULT_PORTS[service_name]
    return int(option(service["command"], "--port"))


def addresses_that_listen(names: set[str]) -> set[tuple[str, int]]:
    return {(name, listening_port(name)) for name in names}


def replica_set(text: str) -> tuple[str, set[tuple[str, int]]]:
    """`shard1/shard1a:27018,…` as a name and addresses."""
    name, members = text.split("/")
    hosts = (member.rsplit(":", 1) for member in members.split(","))
    return name, {(host, int(port)) for host, port in hosts}


def members_of(replica_set_name: str) -> set[str]:
    return {
        name
        for name, service in services().items()
        if "--replSet" in service.get("command", []) and option(service["command"], "--replSet") == replica_set_name
    }


# ---------------------------------------------------------------- what our image is told


def test_compose_sets_only_variables_that_the_settings_read() -> None:
    for name, service in our_services().items():
        unknown = service["environment"].keys() - settings_variables().keys()
        assert unknown == set(), name


def test_every_service_of_our_image_has_the_same_environment() -> None:
    assert set(our_services()) == {"web", "worker", "beat", "setup"}
    assert all(service["environment"] == our_environment() for service in our_services().values())


def test_compose_says_where_each_server_is() -> None:
    required = {"GATEWAY_ENV", "SECRET_KEY", "ALLOWED_HOSTS", "MONGODB_URI", "CASSANDRA_CONTACT_POINTS", "REDIS_URL"}
    assert required - our_environment().keys() == set()


def test_secret_key_has_no_default() -> None:
    assert re.fullmatch(r"\$\{SECRET_KEY:\?[^}]+\}", our_environment()["SECRET_KEY"])


def test_environment_passes_the_production_checks() -> None:
    environment = {**our_environment(), "SECRET_KEY": "k" * 25 + "0123456789abcdefghijklmnop"}
    assert check_production(environment) == ""


def test_short_secret_key_is_refused() -> None:
    assert "gateway.E001" in check_production({**our_environment(), "SECRET_KEY": "short"})


def check_production(environment: Mapping[str, str]) -> str:
    """What `manage.py check` says when it refuses this environment; "" when it accepts it."""
    clean = {name: value for name, value in os.environ.items() if name not in settings_variables()}
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={**clean, **environment, "DJANGO_SETTINGS_MODULE": "gateway.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr if done.returncode else ""


# ---------------------------------------------------------------- addresses


def test_mongodb_uri_names_every_mongos() -> None:
    mongos = {name for name, service in services().items() if service.get("command", [""])[0] == "mongos"}
    assert len(mongos) == 2
    assert set(parse_uri(our_environment()["MONGODB_URI"])["nodelist"]) == addresses_that_listen(mongos)


def test_cassandra_contact_points_name_the_cassandra_service() -> None:
    points = our_environment()["CASSANDRA_CONTACT_POINTS"].split(",")
    addresses = {(host, int(port or 9042)) for host, _, port in (point.partition(":") for point in points)}
    assert addresses == addresses_that_listen({"cassandra"})


def test_cassandra_datacenter_is_the_local_one_and_has_every_replica() -> None:
    datacenter = services()["cassandra"]["environment"]["CASSANDRA_DC"]
    environment = our_environment()
    replication = {value for name, value in environment.items() if name.startswith("CASSANDRA_REPLICATION_")}
    kinds = [name for name in settings_variables() if name.startswith("CASSANDRA_REPLICATION_")]
    assert environment["CASSANDRA_LOCAL_DC"] == datacenter
    assert replication == {f"{datacenter}=1"}
    assert all(kind in environment for kind in kinds)


@pytest.mark.parametrize("variable", ["REDIS_URL", "CELERY_BROKER_URL"])
def test_redis_url_names_the_redis_service(variable: str) -> None:
    url = urlsplit(our_environment().get(variable, our_environment()["REDIS_URL"]))
    assert (url.hostname, url.port) == ("redis", listening_port("redis"))


def test_only_web_is_published_on_loopback_and_at_its_own_port() -> None:
    published = {name: service["ports"] for name, service in services().items() if "ports" in service}
    assert published == {"web": [f"127.0.0.1:${{PORT:-8000}}:{listening_port('web')}"]}


# ---------------------------------------------------------------- the sharded cluster


def test_config_servers_of_mongos_and_of_the_init_job_are_the_services() -> None:
    members = members_of("config")
    expected = ("config", addresses_that_listen(members))
    assert len(members) == 3
    assert replica_set(services()["mongo-init"]["environment"]["CONFIG_SERVERS"]) == expected
    for mongos in ("mongos1", "mongos2"):
        assert replica_set(option(services()[mongos]["command"], "--configdb")) == expected


def test_shards_of_the_init_job_are_the_services() -> None:
    shards = dict(replica_set(word) for word in services()["mongo-init"]["environment"]["SHARDS"].split(" "))
    assert shards == {name: addresses_that_listen(members_of(name)) for name in ("shard1", "shard2")}
    assert all(len(members) == 3 for members in shards.values())


def test_init_job_adds_shards_through_a_mongos() -> None:
    host, port = services()["mongo-init"]["environment"]["MONGOS"].split(":")
    assert services()[host]["command"][0] == "mongos"
    assert int(port) == listening_port(host)


def test_init_script_reads_exactly_the_variables_it_is_given() -> None:
    job = services()["mongo-init"]
    mounted = dict(volume.split(":")[:2] for volume in job["volumes"])
    script = next(source for source, target in mounted.items() if target == job["entrypoint"][-1])
    read = set(re.findall(r"process\.env\.(\w+)", (ROOT / script).read_text()))
    assert read == job["environment"].keys()


def test_each_data_directory_is_a_volume_of_its_own() -> None:
    used: dict[str, str] = {}
    for name, service in services().items():
        for source, target, *_ in (volume.split(":") for volume in service.get("volumes", [])):
            if source.startswith("."):
                assert (ROOT / source).is_file(), name
                continue
            assert source not in used, f"{source} belongs to {used.get(source)} and {name}"
            used[source] = name
            if "--dbpath" in service.get("command", []):
                assert target == option(service["command"], "--dbpath"), name
    assert used.keys() == compose()["volumes"].keys()
    stateful = {name for name, service in services().items() if service.get("command", [""])[0] == "mongod"}
    assert set(used.values()) == {*stateful, "cassandra", "redis"}


# ---------------------------------------------------------------- health, order, limits


def has_health_check(service: Service) -> bool:
    check = service.get("healthcheck")
    if check is None:
        return service["image"] == OUR_IMAGE and bool(dockerfile_arguments("HEALTHCHECK"))
    return not check.get("disable", False)


def test_everything_that_keeps_running_has_a_health_check_and_restarts() -> None:
    for name, service in services().items():
        if name in ONE_SHOT:
            assert (has_health_check(service), service["restart"]) == (False, "no"), name
        else:
            assert (has_health_check(service), service["restart"]) == (True, "unless-stopped"), name


def test_every_dependency_can_be_met() -> None:
    for name, service in services().items():
        for target, wanted in service.get("depends_on", {}).items():
            condition = wanted["condition"]
            assert target in services(), f"{name} waits for {target}"
            if condition == "service_healthy":
                assert has_health_check(services()[target]), f"{name} waits for {target}"
            elif condition == "service_completed_successfully":
                assert target in ONE_SHOT, f"{name} waits for {target}"
            else:
                assert condition == "service_started", f"{name} waits for {target}"


def test_nothing_of_ours_starts_before_the_servers_it_needs() -> None:
    setup = services()["setup"]["depends_on"]
    assert setup["mongo-init"]["condition"] == "service_completed_successfully"
    assert {"mongos1", "mongos2", "cassandra", "redis"} <= setup.keys()
    for name in ("web", "worker", "beat"):
        assert services()[name]["depends_on"]["setup"]["condition"] == "service_completed_successfully"


def test_mongodb_health_checks_ask_the_port_that_is_served() -> None:
    for name, service in services().items():
        if service.get("command", [""])[0] in {"mongod", "mongos"}:
            assert int(option(service["healthcheck"]["test"], "--port")) == listening_port(name), name


def test_every_service_has_a_memory_limit_and_a_pinned_image() -> None:
    for name, service in services().items():
        assert re.fullmatch(r"\d+[mg]", service["mem_limit"]), name
        if service["image"] != OUR_IMAGE:
            assert re.fullmatch(r"[a-z]+:\d+\.\d+\.\d+(-\w+)?", service["image"]), name


# ---------------------------------------------------------------- commands


def test_setup_runs_management_commands_that_exist() -> None:
    lines = [shlex.split(line) for line in services()["setup"]["command"][-1].splitlines()]
    assert [line[2:] for line in lines] == [
        ["topology", "apply"],
        ["migrate", "--noinput"],
        ["cassandra", "apply"],
        ["roles"],
    ]
    for program, script, command, *arguments in lines:
        assert (program, script) == ("python", "manage.py")
        loaded = load_command_class(get_commands()[command], command)
        loaded.create_parser(script, command).parse_args(arguments)  # exits on arguments that it does not know


def test_worker_and_beat_run_our_celery_application() -> None:
    for name in ("worker", "beat"):
        program, *arguments = services()[name]["command"]
        assert program == "celery"
        assert arguments[arguments.index("-A") + 2] == name
        assert importlib.import_module(f"{option(arguments, '-A')}.celery").app.main == "gateway"


def test_beat_health_check_looks_for_the_schedule_that_beat_writes() -> None:
    schedule = Path(option(services()["beat"]["command"], "--schedule"))
    (check,) = services()["beat"]["healthcheck"]["test"][1:]
    assert f'find {schedule.parent} -name "{schedule.name}*"' in check


def test_image_serves_our_asgi_application() -> None:
    program, target, *_ = json.loads(dockerfile_arguments("CMD")[-1])
    module, _, attribute = target.partition(":")
    assert program == "uvicorn"
    assert target == settings.ASGI_APPLICATION.replace(".application", ":application")
    assert callable(getattr(importlib.import_module(module), attribute))


# ---------------------------------------------------------------- the image


def copied_from_the_repository() -> set[str]:
    copies = [shlex.split(argument) for argument in dockerfile_arguments("COPY")]
    return {source for copy in copies if not copy[0].startswith("--from") for source in copy[:-1]}


def test_copied_files_exist_and_are_in_the_build_context() -> None:
    ignored = set((ROOT / ".dockerignore").read_text().splitlines())
    for source in copied_from_the_repository():
        assert (ROOT / source).exists(), source
        assert source not in ignored


def test_every_app_of_ours_is_in_the_image() -> None:
    packages = {app.split(".")[0] for app in settings.INSTALLED_APPS}
    ours = {package for package in packages if (ROOT / package).is_dir()}
    assert "gateway" in ours
    assert ours - copied_from_the_repository() == set()


def test_image_installs_the_locked_packages_only() -> None:
    installs = [argument for argument in dockerfile_arguments("RUN") if " install " in argument]
    assert len(installs) == 1
    assert "--require-hashes -r /requirements.txt" in installs[0]
    assert "requirements.txt" in copied_from_the_repository()


def test_image_is_not_root_and_asks_healthz() -> None:
    assert int(dockerfile_arguments("USER")[-1].split(":")[0]) > 0
    assert f"http://127.0.0.1:{listening_port('web')}/healthz" in dockerfile_arguments("HEALTHCHECK")[-1]
    assert dockerfile_arguments("EXPOSE") == [str(listening_port("web"))]


@pytest.mark.parametrize("secret", [".env", ".git", ".local", "**/tests"])
def test_secrets_and_tests_stay_out_of_the_build_context(secret: str) -> None:
    assert secret in (ROOT / ".dockerignore").read_text().splitlines()


# ---------------------------------------------------------------- the page about settings


def test_settings_page_lists_what_the_settings_read() -> None:
    page = (ROOT / "docs" / "settings.md").read_text()
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| `")
    ]
    documented = {name.strip("`"): (kind, development, production) for name, kind, development, production, _ in rows}
    development, production = settings_variables("development"), settings_variables("production")
    assert len(documented) == len(rows)
    assert documented == {
        name: (variable.kind, *both_defaults(variable, production[name])) for name, variable in development.items()
    }


def both_defaults(development: Variable, production: Variable) -> tuple[str, str]:
    if development.default == settings.DEVELOPMENT_SECRET_KEY:
        return "a public one", "none"
    same = development.default == production.default
    return written(development.default), "same" if same else written(production.default)


def written(default: object) -> str:
    """A default as one would write it in the environment."""
    match default:
        case bool():
            text = str(default).lower()
        case list():
            text = ",".join(map(str, default))
        case dict():
            text = ",".join(f"{name}={value}" for name, value in default.items())
        case _:
            text = str(default)
    return f"`{text}`" if text else "empty"
