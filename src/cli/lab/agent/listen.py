"""Servers, each of one IP family: TCP ones accept and read, UDP ones answer each datagram once."""

import socket

_UDP_ANSWER = b"k" * 248


class Server:
    """One listening socket. `arrivals` are the clients it has seen. Open it in its namespace."""

    def __init__(self, host, protocol, address, port, owner):
        self.host = host
        self.owner = owner
        self.protocol = protocol
        self.arrivals = []
        self.socket = None
        self._address = (address or "0.0.0.0", port)
        self._family = socket.AF_INET6 if ":" in self._address[0] else socket.AF_INET
        self._connections = []

    def open(self):
        kind = socket.SOCK_STREAM if self.protocol == "tcp" else socket.SOCK_DGRAM
        self.socket = socket.socket(self._family, kind)
        if self._family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self._address)
        if self.protocol == "tcp":
            self.socket.listen(64)
        self.socket.setblocking(False)

    def renew(self):
        """Opens the socket anew: a server forgets those of whom only the SYN has come, and would else answer them again and again."""
        self.socket.close()
        self.open()

    def forget(self):
        """Ends all connections at once."""
        for connection, _arrival in self._connections:
            reset(connection)
        self._connections.clear()
        self.arrivals.clear()

    def read(self):
        try:
            if self.protocol == "tcp":
                connection, client = self.socket.accept()
                connection.setblocking(False)
                arrival = self._arrival(client)
                self._connections.append((connection, arrival))
            else:
                data, client = self.socket.recvfrom(1 << 16)
                self._arrival(client)["bytes"] = len(data)
                self.socket.sendto(_UDP_ANSWER, client)
        except OSError:
            # The answer found no way, or the client has gone; what the client sees tells it.
            pass

    def read_data(self):
        """Counts what has come on the accepted connections."""
        for connection, arrival in self._connections:
            try:
                while data := connection.recv(1 << 16):
                    arrival["bytes"] += len(data)
            except OSError:
                pass

    def _arrival(self, client):
        arrival = {"owner": self.owner, "host": self.host, "source": client[0], "sport": client[1], "bytes": 0}
        self.arrivals.append(arrival)
        return arrival


def reset(connection):
    """Closes a connection at once: no FIN, no TIME_WAIT."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    connection.close()
