"""Reads the headers of packets as far as a comparison needs them."""

import socket
import struct
import zlib

_PROTOCOLS = {1: "icmp", 6: "tcp", 17: "udp", 58: "icmpv6", 132: "sctp"}
_FRAGMENT = 44
_TCP_FLAGS = ((2, "SYN"), (16, "ACK"), (1, "FIN"), (4, "RST"), (8, "PSH"), (32, "URG"))


def view(network, transport=None, vxlan_port=None):
    """
    An IP packet as plain data. `transport` is given where the headers come apart (a trace); else it follows the network header.
    Ports are left out of a later fragment.
    """
    if len(network) >= 40 and network[0] >> 4 == 6:
        return _view6(network, transport, vxlan_port)
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
        _add_ports(packet, body, header)
    return packet


def _view6(network, transport, vxlan_port):
    """IPv6 has no identification. The flow label, which senders draw by socket and nobody changes, stands for it."""
    label, length = struct.unpack_from(">IH", network)
    following = network[40:]
    protocol = network[6]
    packet = {
        "protocol": _PROTOCOLS.get(protocol, str(protocol)),
        "src": socket.inet_ntop(socket.AF_INET6, network[8:24]),
        "dst": socket.inet_ntop(socket.AF_INET6, network[24:40]),
        "ttl": network[7],
        "length": 40 + length,
        "id": label & 0xFFFFF,
        "df": True,
    }
    header = 40
    offset = 0
    if protocol == _FRAGMENT and len(following) >= 8:
        packet["protocol"] = _PROTOCOLS.get(following[0], str(following[0]))
        fragment = struct.unpack_from(">H", following, 2)[0]
        offset = fragment & 0xFFF8
        packet["fragment"] = {"offset": offset, "more": bool(fragment & 1)}
        following = following[8:]
        header = 48
    if offset == 0:
        _add_ports(packet, transport if transport is not None else following, header)
    if packet["protocol"] == "udp" and vxlan_port is not None and packet.get("dport") == vxlan_port:
        # What tunnels send has no flow label; its port is a hash of the flow inside.
        packet["id"] = zlib.crc32(f"{packet['src']} {packet['dst']} {packet['sport']} {length}".encode())
    return packet


def _add_ports(packet, body, header):
    protocol = packet["protocol"]
    if protocol in ("tcp", "udp", "sctp") and len(body) >= 4:
        packet["sport"], packet["dport"] = struct.unpack_from(">HH", body)
    if protocol == "tcp" and len(body) >= 14:
        packet["flags"] = ",".join(name for bit, name in _TCP_FLAGS if body[13] & bit)
        packet["payload"] = packet["length"] - header - (body[12] >> 4) * 4
    if protocol in ("icmp", "icmpv6") and len(body) >= 8:
        packet["icmp"] = {"type": body[0], "code": body[1], "id": struct.unpack_from(">H", body, 4)[0]}
        # A trace tells only the first bytes of the packet that an error is about: its identification is among them.
        if protocol == "icmp" and body[0] in (3, 11, 12) and len(body) >= 14:
            packet["about"] = struct.unpack_from(">H", body, 12)[0]
        elif protocol == "icmpv6" and body[0] in (1, 2, 3, 4) and len(body) >= 12:
            packet["about"] = struct.unpack_from(">I", body, 8)[0] & 0xFFFFF


def encapsulated(data, port):
    """The frame inside a VXLAN packet and its VNI; None for any other packet."""
    header = 40 if data[0] >> 4 == 6 else 20
    if len(data) < header + 30 or data[6 if header == 40 else 9] != 17:
        return None
    if struct.unpack_from(">H", data, header + 2)[0] != port or data[header + 8] & 8 == 0:
        return None
    return {"vni": int.from_bytes(data[header + 12 : header + 15], "big"), "packet": view(data[header + 30 :])}
