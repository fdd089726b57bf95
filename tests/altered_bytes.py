"""Bytes of snapshots that somebody has changed, with the checksum of the changed content."""

import hashlib
import json
import struct

from engine.saving import snapshot_bytes


def altered(data, change):
    """Bytes of a snapshot whose header, and whose fields of joints, have been changed; the hash is that of the changed content."""
    head, length = snapshot_bytes._HEAD, snapshot_bytes._LENGTH
    body = data[head.size :]
    (size,) = length.unpack_from(body)
    header, tables = json.loads(body[length.size : length.size + size]), bytearray(body[length.size + size :])
    places, place = {}, 0
    for table in header["tables"]:
        for name, width in [["ids", 1], ["groups", 1], *table["fields"]]:
            places[table["name"], name] = place
            place += 8 * table["rows"] * width
    change(header, lambda table, name, value: struct.pack_into("<d", tables, places[table, name], value))
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    body = length.pack(len(text)) + text + bytes(tables)
    return head.pack(snapshot_bytes._MAGIC, 1, head.size + len(body), hashlib.sha256(body).digest()) + body
