"""A client's socket: one connection, datagram or echo, and what the calls report."""

import errno
import os
import socket
import struct

# Options of a socket: level, TTL, path MTU discovery, reports of errors.
_OPTIONS = {socket.AF_INET: (socket.IPPROTO_IP, 2, 10, 11), socket.AF_INET6: (socket.IPPROTO_IPV6, 16, 23, 25)}
_PMTUDISC_DONT, _PMTUDISC_DO = 0, 2
_ORIGINS = {1: "local", 2: "icmp", 3: "icmp"}
_ERROR_REPORTS = {(level, errors) for level, _hops, _discovery, errors in _OPTIONS.values()}
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
        self._family = socket.AF_INET6 if ":" in request["destination"] else socket.AF_INET
        self.socket = {"tcp": _stream, "udp": _datagram, "icmp": _raw}[self._protocol](self._family)
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
        level, hops, discovery, errors = _OPTIONS[self._family]
        sock.setsockopt(level, errors, 1)
        if request.get("dontFragment") is not None:
            mode = _PMTUDISC_DO if request["dontFragment"] else _PMTUDISC_DONT
            sock.setsockopt(level, discovery, mode)
        if request.get("ttl") is not None:
            sock.setsockopt(level, hops, request["ttl"])
        address = request.get("sourceAddress") or ("0.0.0.0" if self._family == socket.AF_INET else "::")
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
        if self._family == socket.AF_INET6:  # The kernel writes the checksum.
            return struct.pack(">BBHHH", 128, 0, 0, self._id, 1) + data
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
        # Only IPv4 shows its header.
        body, answer = (packet, 129) if self._family == socket.AF_INET6 else (packet[(packet[0] & 15) * 4 :], 0)
        return len(body) >= 8 and body[0] == answer and struct.unpack_from(">H", body, 4)[0] == self._id

    def _read_error_queue(self):
        if self.connected:
            return False
        try:
            _data, controls, _flags, _address = self.socket.recvmsg(512, 512, socket.MSG_ERRQUEUE)
        except OSError:
            return False
        for level, kind, data in controls:
            if (level, kind) in _ERROR_REPORTS:
                code, origin = struct.unpack_from("=IB", data)
                if code == errno.EMSGSIZE and self._protocol == "tcp":
                    return False
                self._fail(code, _ORIGINS.get(origin, str(origin)))
                return True
        return False

    def _fail(self, code, by):
        if self.result is None or self.connected:
            self.result = {"connected": False, "errno": errno.errorcode.get(code, str(code)), "by": by}


def _stream(family):
    return socket.socket(family, socket.SOCK_STREAM)


def _datagram(family):
    return socket.socket(family, socket.SOCK_DGRAM)


def _raw(family):
    return socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_ICMP if family == socket.AF_INET else socket.IPPROTO_ICMPV6)


def _checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
