"""UDP ports of this machine, and the packets that arrive at them."""

import socket
from pathlib import Path

from .contest import Work


class PacketTally:
    """Listens on a port, and counts the encoded bytes of a sender's VP8 stream.

    The system queues packets until `drain()` fetches them. Packets that it dropped show as gaps in the sequence numbers.
    """

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for option in (socket.SO_RCVBUF, 33):  # SO_RCVBUFFORCE, which exceeds the system's limit if permitted
            try:
                self._socket.setsockopt(socket.SOL_SOCKET, option, 8 << 20)
            except PermissionError:
                pass
        self._socket.bind(("127.0.0.1", 0))
        self._socket.setblocking(False)
        self._reset()

    def _reset(self) -> None:
        self._timestamps: set[int] = set()
        self._numbers: list[int] = []
        self._coded_bytes = 0

    @property
    def address(self) -> str:
        return "127.0.0.1:%d" % self._socket.getsockname()[1]

    def drain(self) -> None:
        """Counts the packets that arrived. RTCP may arrive at the same port and is ignored (RFC 5761 §4)."""
        while True:
            try:
                packet = self._socket.recv(65_536)
            except BlockingIOError:
                return
            if len(packet) > 12 and packet[0] >> 6 == 2 and not 192 <= packet[1] <= 223:
                self._timestamps.add(int.from_bytes(packet[4:8], "big"))
                self._numbers.append(int.from_bytes(packet[2:4], "big"))
                self._coded_bytes += len(packet) - payload_offset(packet)

    def take(self) -> Work:
        """The packets since the last call."""
        extended: list[int] = []
        for number in self._numbers:
            last = extended[-1] if extended else number
            extended.append(last + (number - last + 0x8000) % 0x10000 - 0x8000)
        expected = max(extended) - min(extended) + 1 if extended else 0
        work = Work(len(self._timestamps), self._coded_bytes, expected - len(set(extended)))
        self._reset()
        return work


def payload_offset(packet: bytes) -> int:
    """The offset of a packet's encoded bytes, after its header (RFC 3550 §5.1) and its VP8 descriptor (RFC 7741 §4.2)."""
    offset = 12 + 4 * (packet[0] & 15)
    if packet[0] & 0x10:
        offset += 4 + 4 * int.from_bytes(packet[offset + 2 : offset + 4], "big")
    first, offset = packet[offset], offset + 1
    if first & 0x80:
        extension, offset = packet[offset], offset + 1
        if extension & 0x80:
            offset += 2 if packet[offset] & 0x80 else 1
        offset += bool(extension & 0x40) + bool(extension & 0x30)
    return offset


def free_port() -> int:
    """A free port whose next port is free, too: FFmpeg listens there for RTCP. If another process takes it before it is used,
    the measurement fails with an error."""
    while True:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as first, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as second:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            try:
                second.bind(("127.0.0.1", port + 1))
            except (OSError, OverflowError):
                continue
            if port % 2 == 0:
                return port


def somebody_listens(port: int) -> bool:
    return f":{port:04X} 00000000:0000" in Path("/proc/net/udp").read_text()
