"""A client's socket: one connection, datagram or echo, and what the calls report."""

import errno
import os
import socket
import struct

_IP_TTL, _IP_MTU_DISCOVER, _IP_RECVERR = 2, 10, 11
_PMTUDISC_DONT, _PMTUDISC_DO = 0, 2
_ORIGINS = {1: "local", 2: "icmp"}
_DEFAULT_PAYLOAD = 5


class Probe:
    """Call in the client's namespace. `result` is None until something ends the call."""

    def __init__(self, request):
        self.request = request
        self.result = None
        self.connected = False
        self._payload = request.get("payload")
        self._protocol = request["protocol"]
        self._target = (request["destination"], request["port"])
        self.socket = {"tcp": _stream, "udp": _datagram, "icmp": _raw}[self._protocol]()
        self.socket.setblocking(False)
        try:
            self._set_options()
            self._start()
        except OSError as error:
            self._fail(error.errno, "call")

    @property
    def local(self):
        try:
            return self.socket.getsockname()[0]
        except OSError:
            return None

    def _set_options(self):
        request = self.request
        sock = self.socket
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.IPPROTO_IP, _IP_RECVERR, 1)
        if request.get("dontFragment") is not None:
            mode = _PMTUDISC_DO if request["dontFragment"] else _PMTUDISC_DONT
            sock.setsockopt(socket.IPPROTO_IP, _IP_MTU_DISCOVER, mode)
        if request.get("ttl") is not None:
            sock.setsockopt(socket.IPPROTO_IP, _IP_TTL, request["ttl"])
        address = request.get("sourceAddress") or "0.0.0.0"
        port = request.get("sourcePort") or 0
        if self._protocol != "icmp":
            sock.bind((address, port))
        elif request.get("sourceAddress"):
            sock.bind((address, 0))

    def _start(self):
        if self._protocol == "tcp":
            code = self.socket.connect_ex(self._target)
            if code not in (0, errno.EINPROGRESS):
                self._fail(code, "call")
            return
        self.socket.connect(self._target if self._protocol == "udp" else (self._target[0], 0))
        size = self._payload if self._payload is not None else _DEFAULT_PAYLOAD
        data = b"p" * size
        self.socket.send(data if self._protocol == "udp" else self._echo(data))

    def _echo(self, data):
        self._id = self.request.get("sourcePort") or os.getpid() & 0xFFFF
        header = struct.pack(">BBHHH", 8, 0, 0, self._id, 1)
        return struct.pack(">BBHHH", 8, 0, _checksum(header + data), self._id, 1) + data

    def ready(self):
        """Something happened on the socket."""
        if self._read_error_queue():
            return
        if self._protocol == "tcp":
            self._tcp_ready()
        elif self._protocol == "udp":
            self._receive(lambda data: True)
        else:
            self._receive(self._is_answer)

    def _tcp_ready(self):
        code = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code:
            self._fail(code, "call")
            return
        try:
            self.socket.getpeername()
        except OSError:
            return
        self.connected = True
        self.result = {"connected": True, "errno": None}
        if self._payload is not None:
            try:
                self.socket.send(b"p" * self._payload)
            except OSError as error:
                self._fail(error.errno, "call")

    def _receive(self, wanted):
        try:
            if wanted(self.socket.recv(1 << 16)):
                self.connected = True
                self.result = {"connected": True, "errno": None}
        except BlockingIOError:
            pass
        except OSError as error:
            self._fail(error.errno, "call")

    def _is_answer(self, packet):
        body = packet[(packet[0] & 15) * 4 :]
        return len(body) >= 8 and body[0] == 0 and struct.unpack_from(">H", body, 4)[0] == self._id

    def _read_error_queue(self):
        if self.connected:
            return False
        try:
            _data, controls, _flags, _address = self.socket.recvmsg(512, 512, socket.MSG_ERRQUEUE)
        except OSError:
            return False
        for level, kind, data in controls:
            if level == socket.IPPROTO_IP and kind == _IP_RECVERR:
                code, origin = struct.unpack_from("=IB", data)
                if code == errno.EMSGSIZE and self._protocol == "tcp":
                    return False
                self._fail(code, _ORIGINS.get(origin, str(origin)))
                return True
        return False

    def _fail(self, code, by):
        if self.result is None or self.connected:
            self.result = {"connected": False, "errno": errno.errorcode.get(code, str(code)), "by": by}


def _stream():
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM)


def _datagram():
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)


def _raw():
    return socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)


def _checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
