#!/bin/bash
# FFmpeg: its own VP9 decoder puts out every shown frame of a superframe, so spatial layers become pictures of their own.
#
# Expected: a WebM of ten packets, each a superframe of a frame of 32x32 and one of 64x64 for the same moment, as spatial layers
#   are (VP9 bitstream specification, annex B). libvpx's decoder shows the last frame of a packet: ten pictures of 64x64.
# Seen: libavcodec's decoder "vp9" puts out twenty pictures, in turns of 32x32 and 64x64, two with each timestamp.
#   "libvpx-vp9" in the same program puts out ten of 64x64. A program that takes the size of a clip from its first
#   picture gets that of the lowest layer.
# Versions: FFmpeg 5.1.9 (Debian 7:5.1.9-0+deb12u1). Seen on 2026-11-30.
# What to do: count the shown frames of each packet by its superframe index, and drop all pictures of it but the last; or decode
#   by libvpx.
set -euo pipefail
command -v ffmpeg > /dev/null && command -v ffprobe > /dev/null || { echo "ffmpeg is missing" >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ffmpeg -version | head -1
timeout 60 python3 - "$folder" <<'PYTHON'
import os
import re
import struct
import subprocess
import sys

os.chdir(sys.argv[1])


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", *arguments], check=True)


def frames(side):
    name = f"{side}.ivf"
    ffmpeg("-f", "lavfi", "-i", f"testsrc2=size={side}x{side}:rate=10:duration=1", "-c:v", "libvpx-vp9", "-g", "1", "-lag-in-frames", "0",
           "-pix_fmt", "yuv420p", name)
    with open(name, "rb") as file:
        data = file.read()
    position, found = 32, []
    while position < len(data):
        size = struct.unpack_from("<I", data, position)[0]
        found.append(data[position + 12:position + 12 + size])
        position += 12 + size
    return data[:32], found


def shown(decoder):
    output = subprocess.run(
        ["ffmpeg", "-nostdin", "-hide_banner", "-c:v", decoder, "-i", "layers.webm", "-vf", "showinfo", "-fps_mode", "passthrough",
         "-autoscale", "0", "-f", "null", "-"], check=True, capture_output=True, text=True).stderr
    return [(int(pts), int(width)) for pts, width in re.findall(r" pts: *(\d+) .* s:(\d+)x", output)]


(_, low), (header, high) = frames(32), frames(64)
with open("layers.ivf", "wb") as file:
    file.write(header)
    for index, pair in enumerate(zip(low, high)):
        mark = bytes([0xC0 | 3 << 3 | 1])
        chunk = b"".join(pair) + mark + b"".join(struct.pack("<I", len(frame)) for frame in pair) + mark
        file.write(struct.pack("<IQ", len(chunk), index) + chunk)
ffmpeg("-i", "layers.ivf", "-c", "copy", "layers.webm")
own, libvpx = shown("vp9"), shown("libvpx-vp9")
for name, pictures in (("vp9", own), ("libvpx-vp9", libvpx)):
    print(f"{name}: {len(pictures)} pictures, the first of (pts, width) {pictures[:4]}")
widths = [[width for _, width in pictures] for pictures in (own, libvpx)]
if len(own) != 20 or widths[0][:4] != [32, 64, 32, 64] or len(libvpx) != 10 or set(widths[1]) != {64}:
    sys.exit("CHANGED")
print("as described: a picture for each layer by FFmpeg's own decoder, one for each moment by libvpx's")
PYTHON
