"""Telling people that their jobs have ended: on whatever page they are, once."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse

from admin_ext.jobs.documents import UNFINISHED, JobDocument
from admin_ext.jobs.links import job_url
from admin_ext.jobs.pages.access import owns
from admin_ext.jobs.pages.words import STATES, in_language
from admin_ext.jobs.queue import jobs
from admin_ext.jobs.reading import unnoticed
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.staff.language import said

# Says to the script of every page that there is something to ask for; whoever has no job asks nothing.
COOKIE = "open_jobs"
ENDED = Text("Задание № {number}: {state}", "Job № {number}: {state}")


def remember_to_ask(request: HttpRequest, response: HttpResponse, job: JobDocument) -> None:
    """Let the pages of the job's owner ask for its end."""
    if owns(request.user, job) and job["state"] in UNFINISHED:
        response.set_cookie(COOKIE, "1", samesite="Lax", secure=request.is_secure())


def notices(request: HttpRequest) -> HttpResponse:
    """GET: the jobs of this person that have ended, and whether others run. POST: they have seen that one has."""
    owner = str(request.user.pk)
    if request.method == "POST":
        jobs().update_one({"_id": request.POST.get("job", ""), "actor.id": owner}, {"$set": {"noticed": True}})
    found = run(unnoticed(owner))
    ended = [_notice(job) for job in found if job["state"] not in UNFINISHED]
    answer = JsonResponse({"ended": ended, "open": len(found) - len(ended)}, headers={"Cache-Control": "no-store"})
    if not found:
        answer.delete_cookie(COOKIE, samesite="Lax")
    return answer


def note_seen(request: HttpRequest, job: JobDocument) -> None:
    """Whoever looks at the page of an own job that has ended need not be told."""
    if owns(request.user, job) and job["state"] not in UNFINISHED and not job["noticed"]:
        jobs().update_one({"_id": job["_id"]}, {"$set": {"noticed": True}})


def _notice(job: JobDocument) -> dict[str, Any]:
    return {
        "id": job["_id"],
        "told": said(ENDED, number=job["number"], state=said(STATES[job["state"]])),
        "title": in_language(job["title"]),
        "url": job_url(job),
        "state": job["state"],
    }
