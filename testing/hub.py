"""A hub on loopback that answers what huggingface_hub asks: for the tests, and to try `savante pull` where there is no network.

    with Hub({"owner/repo": {"model-Q1_0.gguf": raw}}) as hub: ...     # HF_ENDPOINT=hub.url

As the real one does, it sends for a file to another host, which has no business with the token. Faults are attributes: `refuse`,
`cuts`, `etag`, `size`; `log` holds (method, path, range, authorization) of every request."""
import hashlib, json, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "c0ffee" * 6 + "0000"


class Hub:
    def __init__(self, repos):
        self.repos, self.log, self.down = repos, [], False
        self.refuse = {}      # repository -> (status, X-Error-Code)
        self.cuts = []        # for each answer with a file's bytes: how many are sent before the connection breaks
        self.etag = self.size = None  # what is claimed of files, where it is not the truth
    def __enter__(self):
        class Handler(_Handler): hub = self
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, args=(.05,), daemon=True).start()
        return self
    def __exit__(self, *_):
        self.down = True      # connections that are kept alive outlive the server
        self.server.shutdown()
        self.server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
    def answer(self, status, headers=(), body=b""):
        self.send_response(status)
        for k, v in dict(headers).items(): self.send_header(k, v)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET": self.send(body)
    def send(self, body, cut=None):
        self.wfile.write(body[:cut])
        if cut is not None and cut < len(body): self.close_connection = True
    def do_GET(self):
        if self.hub.down: self.close_connection = True; return
        hub, parts = self.hub, self.path.partition("?")[0].strip("/").split("/")
        hub.log.append((self.command, self.path, self.headers.get("Range"), self.headers.get("Authorization")))
        if parts[0] == "cdn": return self.file(hub.repos["/".join(parts[1:3])]["/".join(parts[3:])])
        repo = "/".join(parts[2:4] if parts[:2] == ["api", "models"] else parts[:2])
        if repo not in hub.repos: return self.answer(401, {"X-Error-Code": "RepoNotFound"})
        if repo in hub.refuse: return self.answer(hub.refuse[repo][0], {"X-Error-Code": hub.refuse[repo][1]})
        files = hub.repos[repo]
        if parts[0] == "api":
            body = json.dumps({"id": repo, "sha": COMMIT, "siblings": [{"rfilename": name} for name in files]})
            return self.answer(200, {"Content-Type": "application/json"}, body.encode())
        name = "/".join(parts[4:])
        if name not in files: return self.answer(404, {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": COMMIT})
        self.answer(302, {"Location": f"http://localhost:{hub.port}/cdn/{repo}/{name}", "X-Repo-Commit": COMMIT,
                          "X-Linked-Etag": f'"{hub.etag or hashlib.sha256(files[name]).hexdigest()}"',
                          "X-Linked-Size": str(hub.size or len(files[name]))})
    do_HEAD = do_GET
    def file(self, raw):
        start = int((self.headers.get("Range") or "bytes=0-")[6:].split("-")[0])
        if start >= len(raw): return self.answer(416)
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(raw) - start))
        if start: self.send_header("Content-Range", f"bytes {start}-{len(raw) - 1}/{len(raw)}")
        self.end_headers()
        if self.command == "GET": self.send(raw[start:], self.hub.cuts.pop(0) if self.hub.cuts else None)
