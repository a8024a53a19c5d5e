"""The https server of a client that describes itself with a document (Client ID Metadata Document)."""

import http.server
import json
import os
import ssl
import threading


def serve(name, redirect):
    """Serves the document of a client, and returns its URL, which is the id of the client."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            document = {
                "client_id": url, "client_name": name, "redirect_uris": [redirect], "response_types": ["code"],
                "grant_types": ["authorization_code", "refresh_token"], "token_endpoint_auth_method": "none",
            }
            body = json.dumps(document).encode()
            self.send_response(200 if self.path == "/oauth/client.json" else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    folder = os.environ["INBOXD_CERTIFICATES"]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/certificate.pem", f"{folder}/key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"https://localhost:{server.server_port}/oauth/client.json"
    return url
