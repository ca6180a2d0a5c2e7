# One image for the web server, the Celery worker, beat and the one-shot set-up job: only the command differs.

# By tag; deploy/compose/pin.sh gives its digest.
ARG PYTHON_IMAGE=python:3.11.16-slim-bookworm

FROM ${PYTHON_IMAGE} AS build

# A virtualenv without pip: what runs in production has no installer. Every package comes as a wheel with a known hash,
# so this stage needs no compiler.
RUN python -m venv --without-pip /venv
COPY requirements.txt /
RUN pip --python /venv/bin/python install --no-cache-dir --only-binary :all: --require-hashes -r /requirements.txt

WORKDIR /app
COPY manage.py ./
COPY gateway gateway
COPY catalog catalog
COPY cart cart
COPY ordering ordering
COPY admin_ext admin_ext
# Production settings, so that the files get the hashed names which production serves.
RUN GATEWAY_ENV=production /venv/bin/python manage.py collectstatic --noinput


FROM ${PYTHON_IMAGE}

ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    GATEWAY_ENV=production

RUN useradd --uid 10001 --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin gateway

COPY --from=build /venv /venv
COPY --from=build /app /app
WORKDIR /app

# By number, so that an orchestrator can see that it is not root. The code stays root's: the process cannot change it.
USER 10001:10001
EXPOSE 8000

HEALTHCHECK --interval=15s --timeout=3s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]

# A process per core that this container may use, or WEB_CONCURRENCY of them.
CMD ["python", "-m", "gateway.web.server", "--host", "0.0.0.0", "--port", "8000"]
