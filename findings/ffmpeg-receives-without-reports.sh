#!/bin/bash
# FFmpeg: what plays a stream by its session description sends no RTCP, neither where the packets come from nor behind.
#
# Expected: FFmpeg reads an SDP file with one VP8 stream, and gets 2 MB of it with sender reports, for eight seconds.
#   RFC 3550, section 6.2: a receiver sends reception reports, the first within 2.5 s or so. FFmpeg has code for them,
#   and the option `-sdp_flags rtcp_to_source` "send RTCP packets to the source address of received packets".
# Seen: it decodes the pictures, and no datagram comes to the sender's port or to the one behind it, with and without
#   the option, with and without a=rtcp-mux.
# Versions: FFmpeg 7.0.2 (PyPI: imageio-ffmpeg 0.6.0); the same with Debian 12's 5.1.9. Seen on 2026-11-29.
# What to do: a sender cannot take the absence of reports for a dead path before the circuit breaker's time (RFC 8083,
#   section 4.1: here 15 s), and a rate that follows reports has nothing to follow. Do not wait for a BYE either.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet imageio-ffmpeg==0.6.0 || { echo "PyPI has no imageio-ffmpeg 0.6.0" >&2; exit 2; }
timeout 120 "$folder/venv/bin/python" - "$folder" <<'PYTHON'
import os
import re
import signal
import socket
import subprocess
import sys
import time

import imageio_ffmpeg

program = imageio_ffmpeg.get_ffmpeg_exe()
version = subprocess.run([program, "-version"], capture_output=True, text=True, check=True).stdout.split()[2]
print("FFmpeg:  ", version)


def bound(port=0):
    there = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    there.bind(("127.0.0.1", port))
    there.setblocking(False)
    return there


def pair():
    """Two sockets at ports one behind the other."""
    while True:
        first = bound()
        try:
            return first, bound(first.getsockname()[1] + 1)
        except OSError:
            first.close()


def call(lines, options):
    """Returns the frames that the receiver decoded, and what came back."""
    (sender, behind), feed = pair(), bound()
    place = pair()
    port = place[0].getsockname()[1]
    for there in place:
        there.close()
    description = os.path.join(sys.argv[1], "in.sdp")
    with open(description, "w", encoding="ascii") as file:
        file.write("".join(line + "\r\n" for line in [
            "v=0", "o=- 0 0 IN IP4 127.0.0.1", "s=-", "c=IN IP4 127.0.0.1", "t=0 0", f"m=video {port} RTP/AVP 96",
            "a=rtpmap:96 VP8/90000"] + lines))
    receiver = subprocess.Popen(
        [program, "-nostdin", "-protocol_whitelist", "file,udp,rtp", *options, "-i", description, "-f", "null", "-"],
        stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    number = feed.getsockname()[1]
    source = subprocess.Popen(
        [program, "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i",
         "nullsrc=s=320x240:r=30,geq=random(1)*255:128:128", "-t", "8", "-c:v", "libvpx", "-deadline", "realtime",
         "-b:v", "2M", "-g", "15", "-payload_type", "96", "-f", "rtp", f"rtp://127.0.0.1:{number}?rtcpport={number}"],
        stdout=subprocess.DEVNULL)
    byte_count, reports, back = 0, 0, 0
    end = time.monotonic() + 11
    while time.monotonic() < end:
        for there in (feed, sender, behind):
            try:
                while True:
                    datagram = there.recv(2000)
                    if there is not feed:
                        back += 1
                        continue
                    # Sender reports come where the description has their receiver.
                    is_report = 192 <= datagram[1] <= 223
                    where = port + 1 if is_report and "a=rtcp-mux" not in lines else port
                    (behind if where != port else sender).sendto(datagram, ("127.0.0.1", where))
                    byte_count += len(datagram)
                    reports += is_report
            except (BlockingIOError, ConnectionRefusedError):
                pass
        time.sleep(0.001)
    source.wait()
    receiver.send_signal(signal.SIGINT)
    frames = re.findall(r"frame= *(\d+)", receiver.communicate()[1])
    return int(frames[-1]) if frames else 0, byte_count, reports, back


seen = []
for lines, options in (([], ["-sdp_flags", "rtcp_to_source"]), (["a=rtcp-mux"], [])):
    frames, byte_count, reports, back = call(lines, options)
    seen.append((frames > 100 and byte_count > 1_000_000 and reports > 0, back))
    print(f"{' '.join(lines + options):26} {byte_count} bytes, {reports} sender reports: "
          f"{frames} frames decoded, {back} datagrams came back")
if not all(is_whole for is_whole, _ in seen):
    sys.exit("the streams did not arrive: nothing can be said")
if any(back for _, back in seen):
    sys.exit("it sends RTCP: the behaviour has changed")
PYTHON
echo "as described"
