"""Rows a second of export, check and load of product files, and the memory of an export: `make bench B=sheets`.

The demo shop is exported in both formats, each by a process of its own whose memory is told; then a file of as many
rows is checked in both formats and loaded: every other row changes a price, the rest are new products.
ARGS="--rows 100000" for more.
"""

import argparse
import csv
import io
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from decimal import Decimal
from io import StringIO

from django.core.management import call_command

from admin_ext.job_kinds import KINDS
from admin_ext.jobs.documents import UNFINISHED, JobDocument
from admin_ext.jobs.queue import job_of, submit
from admin_ext.jobs.runner import run
from admin_ext.sheets.export import export_submission
from admin_ext.sheets.files import blocks_of, file_of
from admin_ext.sheets.imports import begin_import, load_import
from catalog.exchange.sheets.csv_writer import SEPARATOR
from catalog.exchange.sheets.output import Target, add, begin, end
from catalog.exchange.sheets.rows import Format
from catalog.listing.selection import Selection
from gateway.audit.trail import Actor
from gateway.mongo import topology
from gateway.mongo.client import client, database
from gateway.mongo.routing import ROUTING

ACTOR = Actor("1", "bench")
BATCH = 1_000
PAUSE = 0.2


def main() -> None:
    arguments = _arguments()
    ROUTING.refresh(client(), database().name)
    if arguments.export:
        _export(Format(arguments.export))
        return
    _fill(arguments.rows)
    try:
        for format_ in Format:
            _in_a_process(format_)
        for format_ in (Format.XLSX, Format.CSV):
            _import(format_, loads=format_ is Format.CSV)
    finally:
        if not arguments.keep:
            client().drop_database(database().name)


def _fill(products: int) -> None:
    client().drop_database(database().name)
    topology.apply(database())
    ROUTING.refresh(client(), database().name)
    call_command("load_demo", products=products, stdout=StringIO())


def _in_a_process(format_: Format) -> None:
    # The package of the benchmarks adds its mark to the name, there as here.
    names = {"MONGODB_DATABASE": database().name.removesuffix("_bench")}
    command = [sys.executable, "-m", "bench.sheets", "--export", format_.value]
    subprocess.run(command, env={**os.environ, **names}, check=True)  # noqa: S603 - our own


def _export(format_: Format) -> None:
    job_id = submit(export_submission(Selection(), Target(format_, "ru")), actor=ACTOR)["_id"]
    before = _peak_megabytes()
    job = _timed(job_id, f"export, {format_.value}")
    size = file_of(job["result"]["made"]["file"])["size"] / 1_000_000
    grown = _peak_megabytes() - before
    sys.stdout.write(f"  {size:.1f} MB written, memory grew by {grown:.0f} MB at most\n")


def _import(format_: Format, *, loads: bool) -> None:
    data = b"".join(_file(format_))
    sheet = begin_import(io.BytesIO(data), f"bench.{format_.value}", size=len(data), may_change_stock=True, actor=ACTOR)
    _timed(sheet["check_job"], f"check, {format_.value}, {len(data) / 1_000_000:.1f} MB")
    if loads:
        loading = load_import(sheet["_id"], may_change_stock=True, actor=ACTOR)
        _timed(loading["load_job"], f"load, {format_.value}")


def _file(format_: Format) -> Iterator[bytes]:
    """What was exported last as CSV, with every other product dearer by a rouble and the others new."""
    made = database()["jobs"].find_one({"kind": "export", "parameters.format": "csv"}, sort=[("number", -1)])
    if made is None:
        sys.exit("nothing was exported")
    text = b"".join(blocks_of(file_of(made["result"]["made"]["file"]))).decode("utf-8-sig")
    header, *rows = csv.reader(io.StringIO(text), delimiter=SEPARATOR)
    target = Target(format_, "ru")
    first, state = begin(target)
    part, state = add(target, [header], state)
    yield first + part
    for start in range(0, len(rows), BATCH):
        some = [_edited(number, row) for number, row in enumerate(rows[start : start + BATCH])]
        part, state = add(target, some, state)
        yield part
    yield end(target, state)


def _edited(number: int, row: list[str]) -> list[str]:
    product_id, name, category, price, *others = row
    dearer = f"{Decimal(price.replace(',', '.')) + 1:.2f}".replace(".", ",")
    return [product_id if number % 2 else f"NEW-{product_id}", name, category, dearer, *others]


def _timed(job_id: str, name: str) -> JobDocument:
    started, computed = time.perf_counter(), time.process_time()
    while (job := job_of(job_id))["state"] in UNFINISHED:
        # On a busy machine a piece may be put off, as it is in the shop.
        if not run(job_id, KINDS) and job["state"] == "running":
            time.sleep(PAUSE)
    seconds, busy = time.perf_counter() - started, time.process_time() - computed
    if job["state"] != "done":
        sys.exit(f"{name}: {job['state']} {job['log'][-1:]}")
    counts = ", ".join(f"{count} {what}" for what, count in job["counts"].items() if count)
    told = f"{job['done']} in {seconds:.1f} s, {busy:.1f} s of them computing, {job['done'] / seconds:.0f} a second"
    sys.stdout.write(f"{name}: {told} ({counts})\n")
    sys.stdout.flush()
    return job


def _peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_000


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Rows a second of export, check and load of product files.")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--keep", action="store_true", help="leave the database")
    parser.add_argument("--export", choices=[each.value for each in Format], help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
