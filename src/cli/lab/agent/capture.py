"""Sees every IP packet that a device of a namespace sends or receives, in time order."""

import socket
import struct

import packets

_ETH_P_ALL = 3
_ETH_P_IP = 0x0800
_ETH_P_IPV6 = 0x86DD
_SO_TIMESTAMPNS = 35
_SO_RCVBUFFORCE = 33
_OUTGOING = 4
_FRAME_MAX = 256


class Capture:
    """A packet socket on all devices of the current namespace. `vxlan_port` tells which packets encapsulate others; None: none."""

    def __init__(self, host, vxlan_port):
        self.host = host
        self.frames = []
        self._port = vxlan_port
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_ALL))
        self.socket.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, 8 << 20)
        self.socket.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        self.socket.setblocking(False)

    def read(self):
        while True:
            try:
                data, controls, _flags, address = self.socket.recvmsg(_FRAME_MAX, 64)
            except BlockingIOError:
                return
            device, protocol, direction = address[0], address[1], address[2]
            if protocol not in (_ETH_P_IP, _ETH_P_IPV6):
                continue
            packet = packets.view(data[14:], None, self._port)
            if packet is None:
                continue
            frame = {
                "time": _time(controls),
                "host": self.host,
                "device": device,
                "kind": "tx" if direction == _OUTGOING else "rx",
                "srcMac": data[6:12].hex(":"),
                "dstMac": data[0:6].hex(":"),
                "packet": packet,
            }
            inner = packets.encapsulated(data[14:], self._port) if self._port else None
            self.frames.append({**frame, "inner": inner} if inner else frame)


def _time(controls):
    for _level, kind, data in controls:
        if kind == _SO_TIMESTAMPNS:
            seconds, nanoseconds = struct.unpack("=qq", data[:16])
            return seconds * 1_000_000_000 + nanoseconds
    return 0
