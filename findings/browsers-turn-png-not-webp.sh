#!/bin/bash
# Chromium and Firefox: Exif's orientation turns a JPEG and a PNG, and a WebP not.
#
# Expected: images of 30x20 pixels whose Exif says "rotate by 90 degrees" (orientation 6), as JPEG (APP1), PNG (eXIf, PNG
#   third edition, section 11.3.3.6) and WebP (EXIF chunk of its container). CSS Images, `image-orientation: from-image`,
#   the initial value, says that orientation in the image's metadata is obeyed, and names no format: all three are shown
#   as 20x30.
# Seen: naturalWidth x naturalHeight is 20x30 for JPEG and PNG, and 30x20 for WebP, lossy and lossless.
# Versions: Chromium 156.0.8078.108 (Debian 156.0.8078.108-1~deb12u1), Firefox ESR 153.8.0 (Debian
#   153.8.0esr-1~deb12u1); files by Pillow 13.0.0. Seen on 2026-11-30.
# What to do: whoever stores the size as it is shown obeys the orientation of JPEG and PNG, and not that of WebP.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
version=156.0.8078.108-1~deb12u1
unpack "chromium=$version" "chromium-common=$version" firefox-esr=153.8.0esr-1~deb12u1
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet pillow==13.0.0 || { echo "PyPI has no Pillow 13.0.0" >&2; exit 2; }
alone "$folder/venv/bin/python" -B - "$here" "$folder" <<'PYTHON'
import base64
import io
import sys

from PIL import Image

sys.path.insert(0, sys.argv[1])
from browser import Chromium, Firefox

orientation = Image.Exif()
orientation[0x0112] = 6
urls = {}
for name, form, options in (("JPEG", "jpeg", {}), ("PNG", "png", {}), ("WebP", "webp", {}),
                            ("WebP, lossless", "webp", {"lossless": True})):
    file = io.BytesIO()
    Image.new("RGB", (30, 20), (200, 10, 10)).save(file, form, exif=orientation, **options)
    urls[name] = f"data:image/{form};base64,{base64.b64encode(file.getvalue()).decode()}"
SCRIPT = """
window.size = async url => {
  const image = new Image();
  image.src = url;
  await image.decode();
  return `${image.naturalWidth}x${image.naturalHeight}`;
};
"""
expected = ["20x30", "20x30", "30x20", "30x20"]
failures = []
for make in (Chromium, Firefox):
    browser = make(sys.argv[2])
    browser.run(SCRIPT)
    sizes = [browser.run(f"return size('{url}')") for url in urls.values()]
    print(browser.version, dict(zip(urls, sizes)))
    if sizes != expected:
        failures.append(browser.version)
if failures:
    sys.exit(f"CHANGED: {failures}")
print("as described: JPEG and PNG are turned, WebP is not")
PYTHON
