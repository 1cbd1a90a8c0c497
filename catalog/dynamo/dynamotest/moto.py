"""Serve AWS's APIs from memory on a free port of 127.0.0.1, one request at a
time (moto's transactions are atomic only so), until standard input ends."""

import os
import sys
import threading

from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server, WSGIRequestHandler


class Quiet(WSGIRequestHandler):
    def log_request(self, *args):
        pass


def end_with_parent():
    sys.stdin.read()
    os._exit(0)


server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=False, request_handler=Quiet)
threading.Thread(target=end_with_parent, daemon=True).start()
print(f"http://127.0.0.1:{server.port}", flush=True)
server.serve_forever()
