"""A server on loopback that fails as told, and counts."""
import http.server
import json
import socket
import threading

# What services of several kinds answer: some clients look at the code in the body, not at the status.
CODES = {"429": "rate_limited", "503": "service_unavailable", "500": "internal_server_error", "409": "conflict_error"}


def body_of(status):
    error = {"type": "overloaded_error", "message": "always failing"}
    code = CODES.get(status, "validation_error")
    return {"type": "error", "object": "error", "error": error, "code": code, "message": "always failing", "status": int(status)}


class Server:
    """Answers every request with a status (or closes the connection: `drop`), until `cap` requests have come."""

    def __init__(self, failure, path="", cap=120):
        """Counts the requests whose path contains `path`."""
        status = failure.removesuffix("ra")
        retry_after = 1 if status != failure else None
        self.count = 0
        self.full = threading.Event()
        lock = threading.Lock()
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 30

            def log_message(self, *args):
                pass

            def answer(self):
                self.read_body()
                with lock:
                    server.count += path in self.path
                    if server.count >= cap:
                        server.full.set()
                if failure == "drop":
                    self.close_connection = True
                    try:
                        self.connection.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass
                    return
                body = json.dumps(body_of(status)).encode()
                self.send_response(int(status))
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                # A kept connection that dies is tried again by some clients: that is another failure.
                self.send_header("Connection", "close")
                if retry_after is not None:
                    self.send_header("Retry-After", str(retry_after))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def read_body(self):
                self.rfile.read(int(self.headers.get("content-length") or 0))
                if "chunked" not in (self.headers.get("transfer-encoding") or "").lower():
                    return
                while size := int(self.rfile.readline().split(b";")[0].strip() or b"0", 16):
                    self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()

            do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = answer

        class Threading(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *args):
                pass

        self.httpd = Threading(("127.0.0.1", 0), Handler)
        self.port = self.httpd.server_address[1]
        threading.Thread(target=self.httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def close(self):
        self.httpd.shutdown()
        self.httpd.server_close()


def closed_port():
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
