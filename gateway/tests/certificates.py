"""Certificates for servers on this machine, made with `openssl` by the test that needs them."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

# Since 3.13 Python wants certificates to the letter of RFC 5280: what the authority's key is for, and who signed.
AUTHORITY = "keyUsage=critical,keyCertSign,cRLSign"
SERVER = "subjectAltName=DNS:localhost,IP:127.0.0.1\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n"


@dataclass(frozen=True)
class Certificates:
    authority: Path
    """Whom clients must trust."""
    certificate: Path
    """The server's certificate, for localhost and 127.0.0.1."""
    key: Path

    @property
    def certificate_and_key(self) -> Path:
        """In one file, as MongoDB wants them."""
        both = self.key.with_name("server.pem")
        both.write_text(self.certificate.read_text() + self.key.read_text())
        return both


def make_certificates(directory: Path) -> Certificates:
    """A new authority, and a server's certificate signed by it."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed: no certificates can be made")
    directory.mkdir(parents=True, exist_ok=True)
    _request(directory, "ca", "-x509", "-days", "2", "-subj", "/CN=Test authority", "-addext", AUTHORITY)
    _request(directory, "server", "-subj", "/CN=localhost", "-out", "server.csr")
    (directory / "extensions").write_text(SERVER)
    _openssl(
        directory,
        *("x509", "-req", "-in", "server.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial"),
        *("-days", "2", "-extfile", "extensions", "-out", "server.crt"),
    )
    return Certificates(directory / "ca.crt", directory / "server.crt", directory / "server.key")


def _request(directory: Path, name: str, *options: str) -> None:
    out = () if "-out" in options else ("-out", f"{name}.crt")
    _openssl(directory, "req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", *out, *options)


def _openssl(directory: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=directory, check=True, capture_output=True)  # noqa: S607 of PATH
