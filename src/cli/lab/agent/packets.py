"""Reads the headers of packets as far as a comparison needs them."""

import socket
import struct

_PROTOCOLS = {1: "icmp", 6: "tcp", 17: "udp", 132: "sctp"}
_TCP_FLAGS = ((2, "SYN"), (16, "ACK"), (1, "FIN"), (4, "RST"), (8, "PSH"), (32, "URG"))


def view(network, transport=None):
    """
    An IPv4 packet as plain data. `transport` is given where the headers come apart (a trace); else it follows the network header.
    Ports are left out of a later fragment.
    """
    if len(network) < 20 or network[0] >> 4 != 4:
        return None
    header = (network[0] & 15) * 4
    length, ident, fragment = struct.unpack_from(">HHH", network, 2)
    packet = {
        "protocol": _PROTOCOLS.get(network[9], str(network[9])),
        "src": socket.inet_ntoa(network[12:16]),
        "dst": socket.inet_ntoa(network[16:20]),
        "ttl": network[8],
        "length": length,
        "id": ident,
        "df": bool(fragment & 0x4000),
    }
    offset = (fragment & 0x1FFF) * 8
    if fragment & 0x3FFF:
        packet["fragment"] = {"offset": offset, "more": bool(fragment & 0x2000)}
    body = transport if transport is not None else network[header:]
    if offset == 0:
        _add_ports(packet, body)
    return packet


def _add_ports(packet, body):
    protocol = packet["protocol"]
    if protocol in ("tcp", "udp", "sctp") and len(body) >= 4:
        packet["sport"], packet["dport"] = struct.unpack_from(">HH", body)
    if protocol == "tcp" and len(body) >= 14:
        packet["flags"] = ",".join(name for bit, name in _TCP_FLAGS if body[13] & bit)
        packet["payload"] = packet["length"] - 20 - (body[12] >> 4) * 4
    if protocol == "icmp" and len(body) >= 8:
        packet["icmp"] = {"type": body[0], "code": body[1], "id": struct.unpack_from(">H", body, 4)[0]}
        if body[0] in (3, 11, 12) and len(body) >= 14:
            # A trace tells only the first bytes of the packet that an error is about: its identification is among them.
            packet["about"] = struct.unpack_from(">H", body, 12)[0]


def encapsulated(data, port):
    """The frame inside a VXLAN packet and its VNI; None for any other packet."""
    if len(data) < 50 or data[9] != 17 or struct.unpack_from(">H", data, 22)[0] != port or data[28] & 8 == 0:
        return None
    return {"vni": int.from_bytes(data[32:35], "big"), "packet": view(data[50:])}
