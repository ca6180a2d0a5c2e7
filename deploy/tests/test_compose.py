"""docker-compose.yml agrees with the settings, the commands and itself."""

import importlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.core.management import get_commands, load_command_class
from pymongo.uri_parser import parse_uri

from deploy.tests.described import (
    ONE_SHOT,
    OUR_IMAGE,
    ROOT,
    Service,
    addresses_that_listen,
    compose,
    dockerfile_arguments,
    listening_port,
    members_of,
    option,
    our_environment,
    our_services,
    replica_set,
    services,
    settings_variables,
)

SECRETS = {
    "SECRET_KEY": "k" * 25 + "0123456789abcdefghijklmnop",
    "PAYMENT_WEBHOOK_SECRETS": "p" * 25 + "0123456789abcdefghijklmnop",
}


def test_compose_sets_only_variables_that_the_settings_read() -> None:
    for name, service in our_services().items():
        unknown = service["environment"].keys() - settings_variables().keys()
        assert unknown == set(), name


def test_every_service_of_our_image_has_the_same_environment() -> None:
    assert set(our_services()) == {"web", "worker", "beat", "setup"}
    assert all(service["environment"] == our_environment() for service in our_services().values())


def test_compose_says_where_each_server_is() -> None:
    required = {
        "GATEWAY_ENV",
        "SECRET_KEY",
        "PAYMENT_WEBHOOK_SECRETS",
        "ALLOWED_HOSTS",
        "MONGODB_URI",
        "CASSANDRA_CONTACT_POINTS",
        "REDIS_URL",
        "REDIS_CACHE_URL",
    }
    assert required - our_environment().keys() == set()


@pytest.mark.parametrize("secret", SECRETS)
def test_secret_has_no_default(secret: str) -> None:
    assert re.fullmatch(rf"\$\{{{secret}:\?[^}}]+\}}", our_environment()[secret])


def test_environment_passes_the_production_checks() -> None:
    assert check_production({**our_environment(), **SECRETS}) == ""


@pytest.mark.parametrize(
    ("secret", "problem"), [("SECRET_KEY", "gateway.E001"), ("PAYMENT_WEBHOOK_SECRETS", "gateway.E007")]
)
def test_short_secret_is_refused(secret: str, problem: str) -> None:
    assert problem in check_production({**our_environment(), **SECRETS, secret: "short"})


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


def test_what_strangers_may_write_has_a_server_of_its_own_which_evicts_within_its_memory_limit() -> None:
    url = urlsplit(our_environment()["REDIS_CACHE_URL"])
    cache, broker = services()["redis-cache"]["command"], services()["redis"]["command"]
    assert (url.hostname, url.port) == ("redis-cache", listening_port("redis-cache"))
    assert (option(cache, "--maxmemory-policy"), option(broker, "--maxmemory-policy")) == ("allkeys-lru", "noeviction")
    maximum = int(option(cache, "--maxmemory").removesuffix("mb"))
    assert maximum * 1024 * 1024 >= 2 * settings.GRAPHQL_PERSISTED_TOTAL_BYTES
    assert maximum < int(services()["redis-cache"]["mem_limit"].removesuffix("m"))


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
