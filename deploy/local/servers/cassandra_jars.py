"""The jars of Cassandra, resolved by Maven and compared with the list of hashes beside this file."""

import hashlib
from pathlib import Path

from deploy.local.errors import StackError
from deploy.local.fetch.packages import run_client
from deploy.local.launch import Launch

VERSION = "5.0.8"
# `sha256sum *.jar` of what Maven resolved for this version.
PINNED = Path(__file__).with_name("cassandra-jars.sha256")
PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
PROJECT = f"""\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId><artifactId>local</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.cassandra</groupId><artifactId>cassandra-all</artifactId><version>{VERSION}</version>
    </dependency>
  </dependencies>
</project>
"""


def fetch_jars(launch: Launch, into: Path, *, maven: str, java_home: Path) -> None:
    project = into.with_name("pom.xml")
    project.write_text(PROJECT, encoding="utf-8")
    command = [maven, "-B", "-q", "-f", str(project), f"{PLUGIN}:copy-dependencies", "-DincludeScope=runtime"]
    run_client(
        launch,
        [*command, f"-DoutputDirectory={into}"],
        what=f"Cassandra {VERSION} with Maven",
        environ={"JAVA_HOME": str(java_home)},
    )
    verify_jars(into)


def verify_jars(directory: Path) -> None:
    """Refuse the directory unless it holds exactly the pinned jars."""
    pinned = set(PINNED.read_text(encoding="ascii").splitlines())
    found = {f"{hashlib.sha256(jar.read_bytes()).hexdigest()}  {jar.name}" for jar in directory.iterdir()}
    if found != pinned:
        names = sorted({line.split()[1] for line in found ^ pinned})
        raise StackError(
            f"the jars that Maven fetched for Cassandra {VERSION} are not those we pinned ({', '.join(names)}): refused"
        )
