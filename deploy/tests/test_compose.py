"""docker-compose.yml agrees with the settings, the commands and itself."""

import importlib
import os
import re
import shlex
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.core.management import get_commands, load_command_class
from pymongo.uri_parser import parse_uri

from deploy.tests.descriptions import (
    JOBS,
    ONE_SHOT,
    OUR_IMAGE,
    ROOT,
    Service,
    addresses_that_listen,
    compose,
    dockerfile_arguments,
    filled,
    listening_port,
    members_of,
    option,
    our_environment,
    our_services,
    replica_set,
    services,
    settings_variables,
)
from deploy.tests.secrets import make_secrets

# Read by the jobs' scripts and by the web server's parent, not by the settings.
BESIDE_THE_SETTINGS = {"setup": {"CASSANDRA_SCHEMA_PASSWORD"}, "web": {"WEB_CONCURRENCY"}}


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return make_secrets(tmp_path_factory.mktemp("secrets")).values


def test_compose_sets_only_variables_that_the_settings_read() -> None:
    for name, service in our_services().items():
        unknown = service["environment"].keys() - settings_variables().keys()
        assert unknown == BESIDE_THE_SETTINGS.get(name, set()), name


def test_only_the_set_up_job_has_other_rights_than_the_rest() -> None:
    assert set(our_services()) == {"web", "worker", "beat", "setup"}
    common = our_services()["worker"]["environment"]
    differing = {
        name: {key for key, value in service["environment"].items() if common.get(key) != value}
        for name, service in our_services().items()
    }
    assert differing == {
        "web": {"WEB_CONCURRENCY"},
        "worker": set(),
        "beat": set(),
        "setup": {"MONGODB_URI", "CASSANDRA_USERNAME", "CASSANDRA_PASSWORD", "CASSANDRA_SCHEMA_PASSWORD"},
    }


def test_compose_says_where_each_server_is() -> None:
    required = {
        "GATEWAY_ENV",
        "SECRET_KEY",
        "PAYMENT_WEBHOOK_SECRETS",
        "ALLOWED_HOSTS",
        "TRUSTED_PROXIES",
        "MONGODB_URI",
        "CASSANDRA_CONTACT_POINTS",
        "REDIS_URL",
        "REDIS_CACHE_URL",
    }
    assert required - our_environment().keys() == set()


def test_every_secret_is_made_by_the_script_and_none_has_a_default(secrets: dict[str, str]) -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    assert set(re.findall(r"\$\{(\w+):\?run deploy/compose/secrets.sh\}", text)) == secrets.keys()
    assert set(re.findall(r"\$\{(\w*(?:PASSWORD|SECRET)\w*)(?!:\?)\W", text)) - secrets.keys() == set()


def test_secrets_are_kept_and_nobody_else_reads_them(tmp_path: Path) -> None:
    made = make_secrets(tmp_path)
    before = made.values, [file.read_text() for file in sorted(made.directory.iterdir())]

    again = make_secrets(tmp_path)

    assert (again.values, [file.read_text() for file in sorted(again.directory.iterdir())]) == before
    assert stat.S_IMODE(made.env_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(made.directory.stat().st_mode) == 0o700
    assert all(len(secret) >= 48 for secret in made.values.values())


def test_secret_files_are_what_the_script_makes(tmp_path: Path) -> None:
    made = {file.name for file in make_secrets(tmp_path).directory.iterdir()}
    named = {Path(secret["file"]).name for secret in compose()["secrets"].values()}
    used = {name for service in services().values() for name in service.get("secrets", [])}
    assert named == made
    assert used == compose()["secrets"].keys()


def test_environment_passes_the_production_checks(secrets: dict[str, str]) -> None:
    assert check_production(filled(our_environment(), secrets)) == ""


@pytest.mark.parametrize(
    ("secret", "value", "problem"),
    [
        ("SECRET_KEY", "short", "gateway.E001"),
        ("PAYMENT_WEBHOOK_SECRETS", "short", "gateway.E007"),
        ("MONGODB_PASSWORD", "", "gateway.E024"),
        ("CASSANDRA_PASSWORD", "", "gateway.E024"),
        ("REDIS_PASSWORD", "", "gateway.E024"),
    ],
)
def test_weak_secret_is_refused(secret: str, value: str, problem: str, secrets: dict[str, str]) -> None:
    assert problem in check_production(filled(our_environment(), {**secrets, secret: value}))


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
    for name, user in (("web", "gateway"), ("setup", "topology")):
        uri = parse_uri(filled(services()[name]["environment"], {})["MONGODB_URI"].replace(":@", ":x@"))
        assert (set(uri["nodelist"]), uri["username"]) == (addresses_that_listen(mongos), user)


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
    url = urlsplit(filled({"url": our_environment().get(variable, our_environment()["REDIS_URL"])}, {})["url"])
    assert (url.hostname, url.port, url.username) == ("redis", listening_port("redis"), "gateway")


def test_what_strangers_may_write_has_a_server_of_its_own_which_evicts_within_its_memory_limit() -> None:
    url = urlsplit(filled({"url": our_environment()["REDIS_CACHE_URL"]}, {})["url"])
    cache, broker = services()["redis-cache"]["command"], services()["redis"]["command"]
    assert (url.hostname, url.port, url.username) == ("redis-cache", listening_port("redis-cache"), "gateway")
    assert (option(cache, "--maxmemory-policy"), option(broker, "--maxmemory-policy")) == ("allkeys-lru", "noeviction")
    maximum = int(option(cache, "--maxmemory").removesuffix("mb"))
    assert maximum * 1024 * 1024 >= 2 * settings.GRAPHQL_PERSISTED_TOTAL_BYTES
    assert maximum < int(services()["redis-cache"]["mem_limit"].removesuffix("m"))


def test_only_the_proxy_is_published_and_on_loopback() -> None:
    published = {name: service["ports"] for name, service in services().items() if "ports" in service}
    assert published == {"proxy": [f"127.0.0.1:${{PORT:-8443}}:{listening_port('proxy')}"]}


def test_proxy_reaches_web_alone_and_is_believed_by_its_network() -> None:
    proxy = services()["proxy"]
    (subnet,) = compose()["networks"]["front"]["ipam"]["config"]
    assert {name for name, service in services().items() if "front" in service.get("networks", [])} == {"proxy", "web"}
    assert proxy["networks"] == ["front"]
    assert proxy["environment"]["WEB"] == f"web:{listening_port('web')}"
    assert our_environment()["TRUSTED_PROXIES"] == subnet["subnet"]


def test_every_mongodb_server_starts_with_the_key_and_every_redis_with_its_users() -> None:
    for name, service in services().items():
        command = service.get("command", [""])
        if command[0] in {"mongod", "mongos"}:
            assert service["entrypoint"] == ["bash", "/mongodb.sh"], name
            assert "./deploy/compose/mongodb.sh:/mongodb.sh:ro" in service["volumes"], name
            assert service["secrets"] == ["mongodb_key"], name
        if command[0] == "redis-server":
            assert option(command, "--aclfile") == "/run/secrets/redis_users", name
            assert service["secrets"] == ["redis_users"], name
    assert "--keyFile /tmp/mongodb.key" in (ROOT / "deploy" / "compose" / "mongodb.sh").read_text()


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


@pytest.mark.parametrize("name", sorted(JOBS))
def test_job_gets_exactly_the_variables_that_its_script_reads(name: str) -> None:
    job = services()[name]
    (mounted,) = job["volumes"]
    source, target, _ = mounted.split(":")
    script = ROOT / source / Path(job["command"][1]).relative_to(target)
    read = set(re.findall(r'environment\["(\w+)"\]', script.read_text()))
    # Read only by the step that the set-up job runs.
    assert read - {"CASSANDRA_KEYSPACE_PREFIX"} == job["environment"].keys()


def test_each_data_directory_is_a_volume_of_its_own() -> None:
    used: dict[str, str] = {}
    for name, service in services().items():
        for source, target, *_ in (volume.split(":") for volume in service.get("volumes", [])):
            if source.startswith("."):
                assert (ROOT / source).exists(), name
                continue
            assert source not in used, f"{source} belongs to {used.get(source)} and {name}"
            used[source] = name
            if "--dbpath" in service.get("command", []):
                assert target == option(service["command"], "--dbpath"), name
    assert used.keys() == compose()["volumes"].keys()
    stateful = {name for name, service in services().items() if service.get("command", [""])[0] == "mongod"}
    assert set(used.values()) == {*stateful, "cassandra", "redis", "proxy"}


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
    for job in JOBS:
        assert setup[job]["condition"] == "service_completed_successfully"
    assert {"mongos1", "mongos2", "cassandra", "redis"} <= setup.keys()
    for name in ("web", "worker", "beat"):
        assert services()[name]["depends_on"]["setup"]["condition"] == "service_completed_successfully"


def test_mongodb_health_checks_ask_the_port_that_is_served() -> None:
    for name, service in services().items():
        if service.get("command", [""])[0] in {"mongod", "mongos"}:
            assert int(option(service["healthcheck"]["test"], "--port")) == listening_port(name), name


def test_every_service_has_a_memory_limit_and_a_pinned_image() -> None:
    for name, service in services().items():
        assert re.fullmatch(r"\d+[mg]|\$\{WEB_MEMORY:-\d+g\}", service["mem_limit"]), name
        if service["image"] != OUR_IMAGE:
            assert re.fullmatch(r"\$\{[A-Z]+_IMAGE:-[a-z]+:\d+\.\d+\.\d+(-\w+)?\}", service["image"]), name


def test_images_are_pinned_by_the_digests_that_the_registry_tells(tmp_path: Path) -> None:
    """With a `docker` that answers as a registry would: what is asked and what is written is what counts here."""
    asked, env_file = tmp_path / "asked", tmp_path / ".env"
    docker = tmp_path / "docker"
    docker.write_text(f'#!/bin/sh\necho "$4" >> {asked}\necho "sha256:$(echo "$4" | sha256sum | cut -d " " -f 1)"\n')
    docker.chmod(0o755)
    env_file.write_text("SECRET_KEY=kept\nMONGO_IMAGE=mongo:8.0.0@sha256:old\n")
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "ENV_FILE": str(env_file)}
    subprocess.run([ROOT / "deploy" / "compose" / "pin.sh"], env=environment, check=True, capture_output=True)

    text = (ROOT / "docker-compose.yml").read_text()
    images = dict(re.findall(r"\$\{(\w+_IMAGE):-([^}]+)\}", text))
    assert sorted(asked.read_text().split()) == sorted(images.values())
    written = dict(line.split("=", 1) for line in env_file.read_text().splitlines())
    assert written.pop("SECRET_KEY") == "kept"
    assert {name: value.partition("@sha256:")[0] for name, value in written.items()} == images


# ---------------------------------------------------------------- commands


def test_setup_runs_management_commands_that_exist() -> None:
    lines = [shlex.split(line) for line in services()["setup"]["command"][-1].splitlines()]
    assert [line[1:] for line in lines] == [
        ["manage.py", "topology", "apply"],
        ["manage.py", "migrate", "--noinput"],
        ["manage.py", "cassandra", "apply"],
        ["/init/cassandra_roles.py", "grants"],
        ["manage.py", "roles"],
    ]
    for program, script, command, *arguments in (line for line in lines if line[1] == "manage.py"):
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
