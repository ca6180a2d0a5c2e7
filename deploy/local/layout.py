"""Where a stack keeps its things: `<root>/run`, `<root>/data`, `<root>/log`."""

from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
DEVELOPMENT_ROOT = REPOSITORY / ".local"
TEST_ROOT = DEVELOPMENT_ROOT / "test"
# The second half of the whole suite runs here, see lanes.py.
SECOND_TEST_ROOT = DEVELOPMENT_ROOT / "test-2"


@dataclass(frozen=True)
class Layout:
    """Paths inside one root. The root itself holds the lock files, which outlive `clean`."""

    root: Path

    @property
    def run(self) -> Path:
        return self.root / "run"

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def log(self) -> Path:
        return self.root / "log"

    @property
    def description(self) -> Path:
        return self.run / "stack.json"

    @property
    def environment(self) -> Path:
        return self.run / "stack.env"

    @property
    def ports(self) -> Path:
        """Beside the data, because replica sets remember their members by port."""
        return self.data / "ports.json"

    @property
    def start_lock(self) -> Path:
        """Held while a start or stop is under way."""
        return self.root / "start.lock"

    @property
    def run_lock(self) -> Path:
        """Held by a living `run`, whose pid and address it contains."""
        return self.root / "run.lock"

    @property
    def users_lock(self) -> Path:
        """Shared by the commands that use the servers."""
        return self.root / "users.lock"

    def pid_file(self, name: str) -> Path:
        return self.run / f"{name}.pid"

    def log_file(self, name: str) -> Path:
        return self.log / f"{name}.log"

    def create(self) -> None:
        for directory in (self.run, self.data, self.log):
            directory.mkdir(parents=True, exist_ok=True)


def write_atomically(path: Path, text: str) -> None:
    """Readers see the old file or the new one, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.new")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
