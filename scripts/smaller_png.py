"""Rewrites a PNG of a page with a palette of 256 colours, which is a third of the size: letters on a
plain ground have few colours besides those of their edges. Takes what Chromium writes, 8 bits a channel."""

import struct
import sys
import zlib
from collections import Counter

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunks(data):
    place = len(SIGNATURE)
    while place < len(data):
        (length,) = struct.unpack(">I", data[place : place + 4])
        yield data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        place += 12 + length


def chunk(kind, content):
    check = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + check


def rows(packed, width, height, channels):
    """The bytes of each row, without what its filter did to them."""
    stride = width * channels
    before = bytearray(stride)
    for row in range(height):
        start = row * (stride + 1)
        kind, line = packed[start], bytearray(packed[start + 1 : start + 1 + stride])
        for place in range(stride if kind else 0):
            left = line[place - channels] if place >= channels else 0
            above = before[place]
            if kind == 1:
                guess = left
            elif kind == 2:
                guess = above
            elif kind == 3:
                guess = (left + above) // 2
            else:
                corner = before[place - channels] if place >= channels else 0
                middle = left + above - corner
                guess = min((left, above, corner), key=lambda it: abs(middle - it))
            line[place] = (line[place] + guess) & 255
        before = line
        yield line


def main(path):
    with open(path, "rb") as file:
        data = file.read()
    parts = list(chunks(data))
    width, height, depth, color = struct.unpack(">IIBB", parts[0][1][:10])
    channels = {2: 3, 6: 4}.get(color)
    if not data.startswith(SIGNATURE) or depth != 8 or channels is None:
        raise SystemExit(f"{path}: not a PNG of 8 bits a channel")
    packed = zlib.decompress(b"".join(content for kind, content in parts if kind == b"IDAT"))
    pixels = []
    for line in rows(packed, width, height, channels):
        pixels.append(list(zip(line[0::channels], line[1::channels], line[2::channels])))
    counts = Counter(pixel for line in pixels for pixel in line)
    palette = [pixel for pixel, _ in counts.most_common(256)]
    place_of = {pixel: place for place, pixel in enumerate(palette)}
    for pixel in counts:
        if pixel not in place_of:
            nearest = min(palette, key=lambda it: sum((a - b) ** 2 for a, b in zip(it, pixel)))
            place_of[pixel] = place_of[nearest]
    lines = b"".join(b"\0" + bytes(place_of[pixel] for pixel in line) for line in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    colors = b"".join(bytes(pixel) for pixel in palette)
    with open(path, "wb") as file:
        file.write(SIGNATURE + chunk(b"IHDR", header) + chunk(b"PLTE", colors))
        file.write(chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


if __name__ == "__main__":
    main(sys.argv[1])
