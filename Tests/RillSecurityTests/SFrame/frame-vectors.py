#!/usr/bin/env python3
"""Prints the test vectors of Rill's layout of protected frames, made without Rill.

    python3 frame-vectors.py > frame-vectors.txt

It follows Documentation/Rill.docc/EndToEndEncryption.md and RFC 9605, with the package cryptography. A line has: suite,
secret and room (hexadecimal), KID, counter, what the frame is of, the frame, the protected frame.
"""

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256, SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

SUITES = {4: (SHA256, 16), 5: (SHA512, 32)}
CLEAR = {"picture": 10, "sound": 1}


def master(secret, room):
    salt = b"Rill SFrame 1 room " + room
    return PBKDF2HMAC(SHA256(), 32, salt, 600_000).derive(secret)


def frame_keys(main, kid, suite):
    hash_of, size = SUITES[suite]
    number = kid.to_bytes(8, "big")
    base = HKDF(SHA256(), 32, None, b"Rill SFrame 1 key " + number).derive(main)
    end = number + suite.to_bytes(2, "big")

    def derive(label, count):
        return HKDF(hash_of(), count, None, b"SFrame 1.0 Secret " + label + b" " + end).derive(base)

    return derive(b"key", size), derive(b"salt", 12)


def field(value):
    """The four bits in the first byte, and the bytes behind it."""
    if value < 8:
        return value, b""
    count = (value.bit_length() + 7) // 8
    return 8 | (count - 1), value.to_bytes(count, "big")


def protect(keys, kid, counter, media, frame):
    key, salt = keys
    (id_bits, id_bytes), (counter_bits, counter_bytes) = field(kid), field(counter)
    header = bytes([id_bits << 4 | counter_bits]) + id_bytes + counter_bytes
    clear = min(len(frame), CLEAR[media])
    nonce = (int.from_bytes(salt, "big") ^ counter).to_bytes(12, "big")
    sealed = AESGCM(key).encrypt(nonce, frame[clear:], header + frame[:clear])
    last = 0 if clear == CLEAR[media] else clear
    return frame[:clear] + header + sealed + bytes([last])


def main():
    rooms = [(b"correct horse battery staple", b"monday"), ("Gr\u00fc\u00dfe".encode(), "d\u00e9j\u00e0 vu".encode())]
    kids = [(3, 0), (3, 9), (0x29, 7), (0x123456789ABCDEF8, 0), (0x123456789ABCDEFF, 70_000), (2**64 - 1, 2**64 - 2)]
    for secret, room in rooms:
        secret_key = master(secret, room)
        for suite in SUITES:
            for kid, counter in kids:
                keys = frame_keys(secret_key, kid, suite)
                for media, size in [("picture", 1), ("picture", 9), ("picture", 10), ("picture", 11), ("picture", 100),
                                    ("sound", 1), ("sound", 2), ("sound", 40)]:
                    frame = bytes((7 * place + size + counter) % 256 for place in range(size))
                    protected = protect(keys, kid, counter, media, frame)
                    print(suite, secret.hex(), room.hex(), kid, counter, media, frame.hex(), protected.hex())


main()
