"""doubles.py write FILE N...: writes the numbers as little-endian f64; doubles.py read FILE: prints them."""
import struct
import sys

mode, path, *numbers = sys.argv[1:]
if mode == "write":
    with open(path, "wb") as file:
        file.write(struct.pack(f"<{len(numbers)}d", *map(float, numbers)))
else:
    with open(path, "rb") as file:
        data = file.read()
    print(*struct.unpack(f"<{len(data) // 8}d", data))
