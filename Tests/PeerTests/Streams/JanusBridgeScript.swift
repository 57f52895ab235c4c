/// WHIP in front of Janus's VideoRoom, which has an API of its own; and that API's viewer, for a test.
///
/// | request | what it does |
/// |---|---|
/// | `POST /whip/room`, `DELETE` of its session | publishes in a room, which it makes, and ends that |
/// | `GET /viewer`, `PUT /viewer` | Janus's offer to a viewer, and the viewer's answer |
/// | `PUT /substream` | the simulcast's layer for the viewer: 0, the lowest, or a higher one |
enum JanusBridgeScript {
    /// Arguments: the URL of Janus's API, and the port, 0 for any.
    static let text = """
        import http.server, json, queue, secrets, sys, threading, urllib.request

        janus, room = sys.argv[1], 1

        def ask(url, **message):
            data = json.dumps({"transaction": secrets.token_hex(8), **message}).encode()
            reply = json.load(urllib.request.urlopen(urllib.request.Request(url, data)))
            if reply["janus"] == "error":
                raise RuntimeError(reply["error"])
            return reply

        class Handle:
            def __init__(self):
                self.session = f"{janus}/{ask(janus, janus='create')['data']['id']}"
                self.events = queue.Queue()
                threading.Thread(target=self.listen, daemon=True).start()
                handle = ask(self.session, janus="attach", plugin="janus.plugin.videoroom")["data"]["id"]
                self.url = f"{self.session}/{handle}"

            # Requests that wait for events keep the session alive too.
            def listen(self):
                try:
                    while True:
                        event = json.load(urllib.request.urlopen(self.session))
                        if event["janus"] == "event" and "transaction" in event:
                            self.events.put(event)
                except OSError:
                    pass

            def say(self, body, jsep=None):
                reply = ask(self.url, janus="message", body=body, **({"jsep": jsep} if jsep else {}))
                if reply["janus"] == "ack":
                    reply = self.events.get(timeout=10)
                data = reply["plugindata"]["data"]
                if "error" in data:
                    raise RuntimeError(data["error"])
                return data, reply.get("jsep", {}).get("sdp")

        publisher = viewer = None

        def respond(method, path, text):
            global publisher, viewer
            if (method, path) == ("POST", "/whip/room"):
                publisher = Handle()
                publisher.say({"request": "create", "room": room, "videocodec": "vp8", "bitrate": 3000000})
                join = {"request": "joinandconfigure", "ptype": "publisher", "room": room}
                data, answer = publisher.say(join, {"type": "offer", "sdp": text})
                publisher.id = data["id"]
                return 201, {"Content-Type": "application/sdp", "Location": "/session/1"}, answer
            if (method, path) == ("DELETE", "/session/1"):
                ask(publisher.session, janus="destroy")
                return 200, {}, ""
            if (method, path) == ("GET", "/viewer"):
                viewer = Handle()
                join = {"request": "join", "ptype": "subscriber", "room": room, "streams": [{"feed": publisher.id}]}
                return 200, {}, viewer.say(join)[1]
            if (method, path) == ("PUT", "/viewer"):
                viewer.say({"request": "start"}, {"type": "answer", "sdp": text})
                return 200, {}, ""
            if (method, path) == ("PUT", "/substream"):
                viewer.say({"request": "configure", "streams": [{"mid": "0", "substream": int(text)}]})
                return 200, {}, ""
            return 405, {}, ""

        class Bridge(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                try:
                    status, fields, text = respond(self.command, self.path, text)
                except (OSError, RuntimeError, queue.Empty) as error:
                    status, fields, text = 500, {}, repr(error)
                self.send_response(status)
                for name, value in {**fields, "Content-Length": len(text.encode())}.items():
                    self.send_header(name, str(value))
                self.end_headers()
                self.wfile.write(text.encode())

            do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

        server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Bridge)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """
}
