/// A server with a publisher and viewers in a network namespace, and an attacker who has another one beside it.
///
/// Arguments: rill, a folder for what the viewers get, seconds, how many viewers. It needs root and a
/// network namespace of its own (`unshare --net`). It prints one JSON object.
enum LiveAttackScript {
    static let text = #"""
        import ctypes, fcntl, json, os, random, select, socket, struct, subprocess, sys, time

        rill, folder = sys.argv[1:3]
        seconds, count = float(sys.argv[3]), int(sys.argv[4])
        HTTP, MEDIA = 18080, 15004
        random.seed(7)
        libc = ctypes.CDLL(None, use_errno=True)
        children = []


        def run(*words):
            subprocess.run(words, check=True)


        def start(name, *words):
            log = open(f"{folder}/{name}.log", "w")
            child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            children.append(child)
            return child


        # This process is alone in its network namespace. The other one has an attacker's and a victim's address.
        run("ip", "link", "set", "lo", "up")
        other = start("namespace", "unshare", "--net", "sleep", "600")
        time.sleep(0.5)
        enter = ["nsenter", "--net=/proc/%d/ns/net" % other.pid]
        run("ip", "link", "add", "here", "type", "veth", "peer", "name", "there", "netns", str(other.pid))
        run("ip", "address", "add", "10.99.0.1/24", "dev", "here")
        run("ip", "link", "set", "here", "up")
        for address in ["10.99.0.2/24", "10.99.0.77/24"]:
            run(*enter, "ip", "address", "add", address, "dev", "there")
        run(*enter, "ip", "link", "set", "there", "up")
        run(*enter, "ip", "link", "set", "lo", "up")
        for name in ["all", "here"]:
            open(f"/proc/sys/net/ipv4/conf/{name}/rp_filter", "w").write("0")

        sniffer = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(0x0003))
        sniffer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        sniffer.setblocking(False)
        near = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        own = os.open("/proc/self/ns/net", os.O_RDONLY)
        theirs = os.open("/proc/%d/ns/net" % other.pid, os.O_RDONLY)
        if libc.setns(theirs, 0) != 0:
            sys.exit("no namespace")
        far = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        libc.setns(own, 0)


        def checksum(data):
            total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
            while total >> 16:
                total = (total & 0xFFFF) + (total >> 16)
            return ~total & 0xFFFF


        def send(through, payload, source, destination):
            udp = struct.pack("!HHHH", source[1], destination[1], 8 + len(payload), 0)
            header = struct.pack(
                "!BBHHHBBH4s4s", 0x45, 0, 28 + len(payload), 0, 0, 64, 17, 0,
                socket.inet_aton(source[0]), socket.inet_aton(destination[0]))
            through.sendto(header + udp + payload, (destination[0], 0))


        class Traffic:
            def __init__(self):
                self.sent, self.towards, self.data, self.worst = 0, 0, 0, 0.0


        nominations, packets, handshakes, victims, server_of, pictures = {}, {}, {}, {}, {}, {}


        def is_stun(payload):
            return len(payload) >= 20 and payload[0] < 4 and payload[4:8] == b"\x21\x12\xa4\x42"


        def nominates(payload):
            at = 20
            while at + 4 <= len(payload):
                kind, size = struct.unpack("!HH", payload[at:at + 4])
                if kind == 0x25:
                    return True
                at += 4 + (size + 3) // 4 * 4
            return False


        def look():
            while True:
                try:
                    packet, info = sniffer.recvfrom(2048)
                except BlockingIOError:
                    return
                if info[1] != 0x0800 or len(packet) < 28 or packet[9] != 17:
                    continue
                # On loopback each packet is seen twice.
                if info[0] == "lo" and info[2] != 4:
                    continue
                size = (packet[0] & 15) * 4
                source = (socket.inet_ntoa(packet[12:16]), struct.unpack("!H", packet[size:size + 2])[0])
                destination = (socket.inet_ntoa(packet[16:20]), struct.unpack("!H", packet[size + 2:size + 4])[0])
                payload = packet[size + 8:]
                if source[1] == MEDIA and destination in victims:
                    one = victims[destination]
                    one.towards += len(payload)
                    if not is_stun(payload):
                        one.data += len(payload)
                    one.worst = max(one.worst, one.towards / max(one.sent, 1))
                if destination[1] != MEDIA or source in victims:
                    continue
                if is_stun(payload):
                    if payload[:2] == b"\x00\x01" and nominates(payload):
                        nominations[source] = payload
                        server_of[source] = destination
                elif 20 <= payload[0] <= 63:
                    handshakes.setdefault(source, payload)
                else:
                    packets[source] = payload
                    # The publisher was there first. Headers of SRTP are in clear: a timestamp is a picture.
                    if source == next(iter(nominations), None) and len(payload) >= 12 and not 192 <= payload[1] <= 223:
                        pictures.setdefault(payload[8:12], set()).add(payload[4:8])


        def published():
            return max((len(stamps) for stamps in pictures.values()), default=0)


        def forge(number):
            """A datagram, where it is sent from, and whose address it has."""
            clients = list(nominations)
            client = random.choice(clients)
            kind = number % 8
            # From another namespace, with the attacker's own address or that of a victim there.
            if kind == 0:
                return far, nominations[client], ("10.99.0.2", 2000 + number % 3), ("10.99.0.1", MEDIA)
            if kind == 1:
                return far, nominations[client], ("10.99.0.77", 3000 + number % 50), ("10.99.0.1", MEDIA)
            # From another port beside the client's, and from another client's own.
            if kind in (2, 3):
                return near, nominations[client], ("127.0.0.66", 4000 + number % 20), ("127.0.0.1", MEDIA)
            if kind == 4:
                victim = random.choice(clients)
                return near, nominations[client], victim, server_of[victim]
            if kind == 5:
                return near, handshakes.get(client, b"\x16\xfe\xfd"), client, server_of[client]
            if kind == 6:
                payload = packets.get(client, b"\x80\x60")
                return near, payload[:random.randint(1, len(payload))], client, server_of[client]
            return near, random.randbytes(random.randint(1, 1200)), client, server_of[client]


        def wait(duration):
            end = time.monotonic() + duration
            while time.monotonic() < end:
                select.select([sniffer], [], [], max(0, min(0.05, end - time.monotonic())))
                look()


        def written(index):
            """The file that a viewer writes; it gets its name at the end."""
            names = [name for name in os.listdir(folder) if name.lstrip(".").startswith(f"{index}.ivf")]
            return f"{folder}/{names[0]}"


        def frames(name):
            data = open(name, "rb").read()
            rate, scale = struct.unpack("<II", data[16:24])
            at, times = 32, []
            while at + 12 <= len(data):
                size, stamp = struct.unpack("<IQ", data[at:at + 12])
                if at + 12 + size > len(data):
                    break
                times.append(stamp * scale / rate)
                at += 12 + size
            return times


        try:
            server = start("serve", rill, "serve", "--http", str(HTTP), "--media", str(MEDIA))
            wait(2)
            base = f"http://127.0.0.1:{HTTP}"
            publisher = start(
                "publisher", rill, "publish", f"{base}/whip/lobby", "--size", "320x240", "--bitrate", "1M",
                "--layers", "high")
            wait(4)
            viewers = [
                start(f"viewer{index}", rill, "watch", f"{base}/whep/lobby", "--output",
                  f"{folder}/{index}.ivf")
                for index in range(count)
            ]
            end = time.monotonic() + 30
            while time.monotonic() < end and len(nominations) < count + 1:
                wait(0.5)
            wait(6)
            before = [len(frames(written(index))) for index in range(count)]
            sent = published()
            start_time, number = time.monotonic(), 0
            while (elapsed := time.monotonic() - start_time) < seconds:
                # 1, 10 and 100 datagrams a second in turn, ten seconds each.
                rate = [1, 10, 100][int(elapsed / 10) % 3]
                through, payload, source, destination = forge(number)
                number += 1
                if source not in nominations:
                    victims.setdefault(source, Traffic()).sent += len(payload)
                send(through, payload, source, destination)
                wait(1 / rate)
            # What is not written yet.
            wait(2)
            took = time.monotonic() - start_time
            sent = published() - sent
            after = [len(frames(written(index))) for index in range(count)]
            for child in viewers + [publisher]:
                child.send_signal(2)
            for child in viewers + [publisher]:
                child.wait(timeout=20)
            counted = subprocess.run(["curl", "-s", f"{base}/metrics"], capture_output=True, text=True).stdout
            print(json.dumps({
                "clients": len(nominations), "seconds": took, "forged": number, "published": sent,
                "frames": [b - a for a, b in zip(before, after)],
                "victims": len(victims), "worst": max((v.worst for v in victims.values()), default=0),
                "data": sum(v.data for v in victims.values()), "towards": sum(v.towards for v in victims.values()),
                "from": sum(v.sent for v in victims.values()),
                "metrics": {
                    words[0]: float(words[1]) for line in counted.splitlines()
                    if not line.startswith("#") and len(words := line.split()) == 2 and "_http_" not in line
                },
            }))
        finally:
            for child in children:
                if child.poll() is None:
                    child.kill()
        """#
}
