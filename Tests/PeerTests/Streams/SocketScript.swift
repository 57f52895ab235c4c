/// A client by PyPI's wsproto, which plays a list of cases of RFC 6455 with the rooms' WebSocket: what wsproto sends by
/// itself, and bytes that it would not send.
enum SocketScript {
    /// Argument: the server's port. It prints how many cases there were, and those with another answer.
    static let text = #"""
        import json, socket, struct, sys, time
        from wsproto import ConnectionType, WSConnection
        from wsproto.events import AcceptConnection, BytesMessage, CloseConnection, Ping, Pong, Request, TextMessage

        host, port = "127.0.0.1", int(sys.argv[1])

        def frame(opcode, payload=b"", fin=True, mask=b"\x01\x02\x03\x04", reserved=0, size=None):
            """Bytes that wsproto would not send. size: how many bytes the length takes, 1, 2 or 8."""
            size = size or (1 if len(payload) < 126 else 2 if len(payload) < 65536 else 8)
            length = {1: len(payload), 2: 126, 8: 127}[size]
            head = bytes([(128 if fin else 0) | reserved << 4 | opcode, (128 if mask else 0) | length])
            head += {1: b"", 2: struct.pack(">H", len(payload) & 65535), 8: struct.pack(">Q", len(payload))}[size]
            masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload)) if mask else payload
            return head + (mask or b"") + masked

        class Client:
            count, told = 0, 0
            def __init__(self, joins=True):
                self.socket = socket.create_connection((host, port), 10)
                self.socket.settimeout(3)
                self.ws, self.waiting, self.id = WSConnection(ConnectionType.CLIENT), [], 0
                self.send(Request(host=f"{host}:{port}", target="/rooms"))
                assert isinstance(self.next(), AcceptConnection)
                # In a room of its own. So many a second come in.
                Client.count += 1
                while joins and self.ask(type="join", room=f"room {Client.count}", name="Anna")["type"] != "welcome":
                    time.sleep(0.1)
            def send(self, *events):
                for event in events:
                    self.socket.sendall(event if isinstance(event, bytes) else self.ws.send(event))
            def next(self):
                """The next event; a message in parts is one. None at the end of the connection."""
                text = ""
                while True:
                    while not self.waiting:
                        try:
                            data = self.socket.recv(65536)
                        except (ConnectionResetError, TimeoutError) as error:
                            return repr(error)
                        if not data:
                            return None
                        self.ws.receive_data(data)
                        self.waiting += self.ws.events()
                    event = self.waiting.pop(0)
                    if isinstance(event, TextMessage):
                        text += event.data
                        if not event.message_finished:
                            continue
                        return json.loads(text)
                    return event
            def control(self):
                """The next event that is not a message."""
                while isinstance(event := self.next(), dict):
                    pass
                return event
            def answer(self):
                while True:
                    event = self.next()
                    if not isinstance(event, dict) or event["type"] in ("welcome", "done", "error"):
                        return event
            def request(self, size, **fields):
                """A request of so many bytes, and its number."""
                self.id += 1
                text = json.dumps(dict(fields, id=self.id), ensure_ascii=False)
                pad = size - len(text.encode())
                if size and pad > 0:
                    text = text[:-1] + " " * pad + "}"
                return text
            def ask(self, size=0, **fields):
                self.send(TextMessage(data=self.request(size, **fields)))
                return self.answer()
            def close(self):
                """The code with which the server closes, None for none; and whether it ends the connection."""
                code = "no close"
                while True:
                    event = self.next()
                    if isinstance(event, CloseConnection):
                        code = None if event.code == 1005 else int(event.code)
                    elif event is None or isinstance(event, str):
                        # What the server has not read makes the end a reset.
                        return [code, event is None or "Reset" in event]

        wrong, count = {}, 0
        def check(name, got, wanted):
            global count
            count += 1
            if got != wanted:
                wrong[name] = [got, wanted]

        def closes(name, code, *events, joins=True):
            now = time.monotonic()
            # As a client does, once a second: a hundred requests a second are refused.
            if now - first.told > 1:
                first.told = now
                first.send(TextMessage(data='{"type": "alive", "number": 0}'))
            client = Client(joins)
            client.send(*events)
            check(name, client.close(), [code, True])

        # Messages.
        client = first = Client()
        for size in [0, 125, 126, 127, 128, 65535, 65536, 200000]:
            answer = client.ask(size, type="chat", key=str(size), text="x")
            check(f"text of {size} bytes", [answer["type"], answer["id"]], ["done", client.id])
        for size in [0, 1, 2, 124, 125]:
            client.send(Ping(payload=b"\xfe" * size))
            check(f"ping of {size} bytes", client.control(), Pong(payload=b"\xfe" * size))
        client.send(Pong(payload=b"nobody asked"), Pong())
        check("pongs are ignored", client.ask(type="chat", key="pong", text="x")["type"], "done")
        for mask in [b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x80\0\x01\xfe"]:
            client.send(frame(1, client.request(0, type="chat", key=mask.hex(), text="\u00e9").encode(), mask=mask))
            check(f"mask {mask.hex()}", client.answer()["type"], "done")
        text = client.request(0, type="chat", key="fragments", text="\u00e9\u20ac\U0001f600").encode()
        for step in [1, 2, 3, 7]:
            pieces = [text[i:i + step] for i in range(0, len(text), step)][:60]
            pieces[-1:] = [text[step * (len(pieces) - 1):]]
            events = []
            for place, piece in enumerate(pieces):
                events.append(frame(0 if place else 1, piece, fin=place == len(pieces) - 1))
                if place % 5 == 4 and place < len(pieces) - 1:
                    events.append(frame(9, bytes([place])))
            client.send(*events)
            wanted = [bytes([place]) for place in range(4, len(pieces) - 1, 5)]
            check(f"fragments of {step}, pings", [client.control().payload for _ in wanted], wanted)
            check(f"fragments of {step}", client.answer()["type"], "done")
        text = client.request(0, type="chat", key="empty", text="x").encode()
        client.send(frame(1, b"", fin=False), frame(0, b"", fin=False), frame(0, text))
        check("empty fragments", client.answer()["type"], "done")
        whole = frame(9, b"slow") + frame(1, client.request(0, type="chat", key="bytes", text="x").encode())
        for byte in whole:
            client.send(bytes([byte]))
        check("byte by byte, ping", client.control(), Pong(payload=b"slow"))
        check("byte by byte", client.answer()["type"], "done")
        client.send(frame(9, b"a") + frame(9, b"b") + frame(9, b"c"))
        check("pings at once", [client.control().payload for _ in range(3)], [b"a", b"b", b"c"])
        # RFC 6455 wants lengths in as few bytes as they take; one that has more is read.
        for size in [2, 8]:
            client.send(frame(1, b"[1,2]", size=size))
            check(f"a length of 5 in {size} bytes", client.answer()["code"], 400)
        check("no JSON", client.ask(0, type="nothing")["code"], 400)
        client.send(TextMessage(data=""))
        check("an empty message", client.answer()["code"], 400)
        client.send(TextMessage(data="[" * 100000))
        check("deep JSON", client.answer()["code"], 400)

        # Closes: each code that a client may send, and those that it may not. wsproto reads 1014 as an error.
        for code in [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 3000, 3999, 4000, 4999]:
            closes(f"close {code}", code, frame(8, struct.pack(">H", code)))
            closes(f"close {code} with a reason", code, CloseConnection(code=code, reason="because \u20ac"))
        for code in [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535]:
            closes(f"close {code}", 1002, frame(8, struct.pack(">H", code)))
        closes("an empty close", None, frame(8))
        closes("a close of one byte", 1002, frame(8, b"\x03"))
        closes("a close of 125 bytes", 1000, frame(8, b"\x03\xe8" + b"x" * 123))
        closes("a close of 126 bytes", 1002, frame(8, b"\x03\xe8" + b"x" * 124))
        closes("a close between fragments", 1000, frame(1, b"{", fin=False), frame(8, b"\x03\xe8"))
        closes("two closes", 1001, frame(8, b"\x03\xe9") + frame(8, b"\x03\xe8"))
        closes("what follows a close", 1001, frame(8, b"\x03\xe9") + frame(1, b"{}") + frame(9, b"x"))
        closes("before a join", 1000, frame(8, b"\x03\xe8"), joins=False)

        # Frames that break the protocol.
        for bit in [1, 2, 4, 7]:
            closes(f"reserved bits {bit}", 1002, frame(1, b"{}", reserved=bit))
            closes(f"reserved bits {bit} of a ping", 1002, frame(9, b"", reserved=bit))
            start = frame(1, b"{", fin=False)
            closes(f"reserved bits {bit} of a continuation", 1002, start + frame(0, b"}", reserved=bit))
        for opcode in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15]:
            closes(f"opcode {opcode}", 1002, frame(opcode, b""))
            closes(f"opcode {opcode} between fragments", 1002, frame(1, b"{", fin=False) + frame(opcode, b""))
        for opcode in [8, 9, 10]:
            closes(f"opcode {opcode} in fragments", 1002, frame(opcode, b"", fin=False))
            closes(f"opcode {opcode} of 126 bytes", 1002, frame(opcode, b"\x03\xe8" + b"x" * 124))
        for opcode in [1, 2, 8, 9, 10]:
            closes(f"opcode {opcode} without mask", 1002, frame(opcode, b"{}" if opcode < 3 else b"", mask=None))
        closes("a continuation of nothing", 1002, frame(0, b"x"))
        closes("a last continuation of nothing", 1002, frame(0, b"x", fin=False))
        closes("a message in another", 1002, frame(1, b"{", fin=False) + frame(1, b"}"))
        closes("bytes in a message", 1002, frame(1, b"{", fin=False) + frame(2, b"}"))
        closes("bytes", 1003, BytesMessage(data=b"{}"))
        closes("a length of 2^63", 1009, b"\x81\xff" + b"\x80" + b"\0" * 7 + b"\x01\x02\x03\x04")
        closes("a length of 2^62", 1009, b"\x81\xff" + b"\x40" + b"\0" * 7 + b"\x01\x02\x03\x04")
        closes("300,000 bytes", 1009, frame(1, b" " * 300000))
        part = b" " * 100000
        closes("300,000 bytes in fragments", 1009, frame(1, part, fin=False), frame(0, part, fin=False), frame(0, part))

        # Text that is not UTF-8.
        for name, text in {
            "a lone continuation": b"\x80", "an overlong slash": b"\xc0\xaf", "an overlong null": b"\xe0\x80\x80",
            "a surrogate": b"\xed\xa0\x80", "above the last": b"\xf4\x90\x80\x80",
            "five bytes": b"\xf8\x88\x80\x80\x80",
            "a byte that never is": b"\xff", "a cut character": b"\xe2\x82", "text behind it": b"\xce\xba\xed\xa0\x80x",
        }.items():
            closes(name, 1007, frame(1, b'"' + text + b'"'))
            closes(f"{name} in fragments", 1007, frame(1, b'"' + text[:1], fin=False) + frame(0, text[1:] + b'"'))
            closes(f"{name} in a close", 1007, frame(8, b"\x03\xe8" + text))

        # Others see nothing of it.
        check("the first one is still there", first.ask(type="chat", key="end", text="x")["type"], "done")
        first.send(CloseConnection(code=1000, reason="done"))
        check("and closes", first.close(), [1000, True])
        print(json.dumps({"cases": count, "wrong": {name: repr(pair) for name, pair in wrong.items()}}))
        """#

    /// What it prints.
    struct Outcome: Decodable {
        var cases: Int
        /// The answer and the right one, by the case.
        var wrong: [String: String]
    }
}
