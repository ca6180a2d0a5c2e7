"""One process of the web server, as its parent would start it: `python -m gateway.tests.web_process 8000`."""

import sys

import uvicorn

from gateway.web.server import configuration

if __name__ == "__main__":
    uvicorn.Server(configuration("127.0.0.1", int(sys.argv[1]))).run()
