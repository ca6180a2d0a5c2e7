"""What a change of the tree leaves to be done: one job per mark, whoever finds it, and resumed after a kill."""

from functools import partial

import pytest
from pymongo.database import Database

from admin_ext.bulk.tests.products import product, put
from admin_ext.job_kinds import KINDS
from admin_ext.jobs import runner
from admin_ext.jobs.queue import job_of
from admin_ext.jobs.tests.test_runner import free_the_lease
from admin_ext.structure.jobs import submit_owed
from catalog.changes.merges import begin_merge, give_up_merge
from catalog.structure.branches import move_category
from catalog.structure.thresholds import set_threshold
from catalog.tests.shop import MARINA, assert_whole
from gateway.mongo.client import Document
from gateway.tests.races import at_once

pytestmark = pytest.mark.usefixtures("two_shards", "shop")

run = partial(runner.run, kinds=KINDS)


def owed() -> str:
    """The one job that the tree owes."""
    (job,) = submit_owed()
    return job["_id"]


def homes(database: Database[Document]) -> set[str]:
    return {each["category"] for each in database["products"].find()}


def test_merge_is_one_job_however_often_it_is_found(database: Database[Document]) -> None:
    put(database, *(product(number) for number in range(30)))
    begin_merge("audio", "video", actor=MARINA)

    (first,), (second,), (third,) = at_once(submit_owed, submit_owed, submit_owed)
    run(first["_id"])

    assert first["_id"] == second["_id"] == third["_id"]
    done = job_of(first["_id"])
    assert (done["state"], done["done"], done["counts"]["moved"]) == ("done", 30, 30)
    assert done["title"]["ru"] == "«Аудио» объединяется с «Видео»"
    assert done["scope"] == ["category:audio", "category:video"]
    assert homes(database) == {"video"}
    assert database["categories"].find_one({"_id": "audio"}) is None
    assert submit_owed() == []
    assert_whole(database)


def test_merge_goes_on_where_a_worker_died(database: Database[Document]) -> None:
    put(database, *(product(number) for number in range(60)))
    begin_merge("audio", "video", actor=MARINA)
    job_id = owed()
    assert run(job_id, seconds=0) is True
    assert homes(database) == {"audio", "video"}
    free_the_lease(database, job_id)

    run(job_id)

    assert (job_of(job_id)["state"], job_of(job_id)["done"]) == ("done", 60)
    assert homes(database) == {"video"}
    assert_whole(database)


def test_merge_that_is_given_up_ends_its_job(database: Database[Document]) -> None:
    put(database, product(1))
    begin_merge("audio", "video", actor=MARINA)
    job_id = owed()
    give_up_merge("audio", actor=MARINA)

    run(job_id)

    assert job_of(job_id)["state"] == "failed"
    assert homes(database) == {"audio"}


def test_threshold_reaches_the_products_of_the_branch(database: Database[Document]) -> None:
    put(database, *(product(number) for number in range(5)), product(9, "video"))
    set_threshold("sound", 20, actor=MARINA)

    run(owed())

    found = [(each["low_at"], each["shelf"]) for each in database["products"].find({"category": "audio"})]
    assert found == [(20, ["msk:low"])] * 5
    assert submit_owed() == []


def test_products_of_a_branch_that_moves_take_the_threshold_of_its_new_place(database: Database[Document]) -> None:
    put(database, product(1))
    database["categories"].update_one({"_id": "video"}, {"$set": {"low_at": 12}})
    move_category("audio", parent="video", actor=MARINA)

    run(owed())

    (found,) = database["products"].find()
    assert (found["low_at"], found["shelf"]) == (12, ["msk:low"])
