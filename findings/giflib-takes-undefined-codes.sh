#!/bin/bash
# giflib: a code of LZW that is not defined yet is no error, and stands for pixels that are made up.
#
# Expected: a GIF of 4x2 pixels whose codes are: clear, colour 1, 7, ..., end, where 6 is the next code to be defined.
#   By GIF89a, appendix F, a code is one that was defined, or the next one. giflib has an error for others
#   (D_GIF_ERR_IMAGE_DEFECT), and DGifGetLine returns GIF_ERROR for it.
# Seen: gif2rgb, which reads by DGifGetLine, ends with 0 and says nothing, and has eight pixels. Pillow says "broken data
#   stream". So an image that giflib has decoded to its end may be refused by others.
# Versions: giflib 5.2.1 (Debian 5.2.1-2.5+deb12u1), Pillow 13.0.0. Seen on 2026-11-30.
# What to do: check the codes beside giflib (their lengths suffice: 40 lines), or decode by something else.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
version=5.2.1-2.5+deb12u1
(cd "$folder" && apt-get -qq -o APT::Sandbox::User=root download "giflib-tools=$version" "libgif7=$version") || {
    echo "the archive has no giflib $version: set the version to one that it has" >&2
    exit 2
}
for file in "$folder"/*.deb; do dpkg-deb -x "$file" "$folder"; done
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 || { echo "PyPI has no Pillow 13.0.0" >&2; exit 2; }
timeout 60 "$folder/venv/bin/python" - "$folder" <<'PYTHON'
import glob
import os
import struct
import subprocess
import sys

import PIL
from PIL import Image

folder = sys.argv[1]
libraries = os.path.dirname(glob.glob(f"{folder}/usr/lib/*/libgif.so.7")[0])
print("Pillow", PIL.__version__)


def gif(codes):
    """A GIF of 4x2 pixels of four colours, of codes with their sizes."""
    bits = "".join(reversed([f"{code:0{size}b}" for code, size in codes]))
    data = int(bits, 2).to_bytes((len(bits) + 7) // 8, "little")
    return (b"GIF87a" + struct.pack("<HHBBB", 4, 2, 0x81, 0, 0) + bytes(range(0, 240, 20))
            + b"," + struct.pack("<HHHHB", 0, 0, 4, 2, 0) + b"\2" + bytes([len(data)]) + data + b"\0;")


def rgb(name):
    done = subprocess.run([f"{folder}/usr/bin/gif2rgb", "-1", "-o", f"{name}.rgb", name], capture_output=True, check=False,
                          env={"LD_LIBRARY_PATH": libraries})
    pixels = open(f"{name}.rgb", "rb").read()[::3] if os.path.exists(f"{name}.rgb") else b""
    return done.returncode, done.stderr.decode().strip(), [value // 60 for value in pixels]


def pillow(name):
    try:
        with Image.open(name) as image:
            return list(image.convert("RGB").tobytes()[::3])
    except OSError as error:
        return str(error)


# 4 is clear, 5 end. 6 is one behind the first colour: two pixels of it.
right = [(4, 3), (1, 3), (6, 3), (2, 3), (3, 4), (0, 4), (1, 4), (2, 4), (5, 4)]
wrong = [(4, 3), (1, 3), (7, 3), (2, 3), (3, 4), (0, 4), (1, 4), (2, 4), (5, 4)]
found = []
for what, codes in (("right", right), ("undefined code", wrong)):
    name = f"{folder}/{what.replace(' ', '-')}.gif"
    with open(name, "wb") as file:
        file.write(gif(codes))
    found.append((rgb(name), pillow(name)))
    print(f"{what}: giflib's status, messages, colours {found[-1][0]}; Pillow {found[-1][1]}")
(good, seen), (bad, refusal) = found
if good[0] != 0 or not isinstance(seen, list):
    sys.exit("the test itself is wrong: the right one is not read")
if bad[0] != 0 or len(bad[2]) != 8 or "broken data stream" not in refusal:
    sys.exit("CHANGED")
print("as described: giflib takes the undefined code, Pillow does not")
PYTHON
