"""Flips the lowest bit of one byte: flip.py FILE OFFSET."""
import sys

path, offset = sys.argv[1], int(sys.argv[2])
with open(path, "r+b") as file:
    file.seek(offset)
    byte = file.read(1)[0]
    file.seek(offset)
    file.write(bytes([byte ^ 1]))
