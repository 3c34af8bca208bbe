"""Gathers what netfilter's own trace tells of packets: one record for every base chain that a packet ran through."""

import socket
import struct
import time

import netlink
import packets

NFPROTO_IPV4, NFPROTO_IPV6 = 2, 10
_TABLE, _CHAIN, _HANDLE, _TYPE, _VERDICT, _ID = 1, 2, 3, 4, 5, 6
_NETWORK, _TRANSPORT, _IIF, _OIF, _MARK, _POLICY = 8, 9, 10, 12, 14, 16
_TYPE_POLICY, _TYPE_RETURN, _TYPE_RULE = 1, 2, 3
_VERDICTS = {0: "drop", 1: "accept", 0xFFFFFFFF: "continue", 0xFFFFFFFD: "jump", 0xFFFFFFFC: "goto", 0xFFFFFFFB: "return"}

PRIVATE_TABLE = "k8snet-lab"


class HostTrace:
    """The trace of one namespace."""

    def __init__(self, host, vxlan_port):
        self.host = host
        self._port = vxlan_port
        self.socket = netlink.open_trace_socket()
        self.runs = []
        self._current = {}
        self._numbers = {}
        self._hooks = {}

    def number_rules(self):
        """Call in the namespace once all rules are there."""
        for family in (NFPROTO_IPV4, NFPROTO_IPV6):
            self._numbers[family] = netlink.rule_numbers(family)
            self._hooks[family] = netlink.base_chain_hooks(family)

    def read(self):
        while True:
            try:
                data = self.socket.recv(1 << 20)
            except BlockingIOError:
                return
            for family, trace in netlink.trace_messages(data):
                if family in (NFPROTO_IPV4, NFPROTO_IPV6):
                    self._add(family, trace)

    def _add(self, family, trace):
        table = trace[_TABLE].rstrip(b"\0").decode()
        if table == PRIVATE_TABLE:
            return
        chain = trace[_CHAIN].rstrip(b"\0").decode()
        ident = trace[_ID]
        if _NETWORK in trace:
            # The headers come with the first message of each base chain.
            run = {
                "time": time.time_ns(),
                "host": self.host,
                "table": table,
                "hook": self._hooks[family].get((table, chain), chain),
                "chain": chain,
                "packet": packets.view(trace[_NETWORK], trace.get(_TRANSPORT, b""), self._port),
                "in": _device(trace.get(_IIF)),
                "out": _device(trace.get(_OIF)),
                "rules": [],
                "policy": None,
            }
            self._current[ident] = run
            self.runs.append(run)
        run = self._current.get(ident)
        if run is None:
            return
        kind = struct.unpack(">I", trace[_TYPE])[0]
        if kind == _TYPE_RULE and _HANDLE in trace:  # Without a handle it is the end of a chain.
            handle = struct.unpack(">Q", trace[_HANDLE])[0]
            code, target = _verdict(trace[_VERDICT])
            rule = {"chain": chain, "rule": self._numbers[family].get((table, chain, handle)), "verdict": code}
            run["rules"].append({**rule, "target": target} if target else rule)
        elif kind == _TYPE_POLICY:
            policy = struct.unpack(">I", trace[_POLICY])[0] if _POLICY in trace else 1
            run["policy"] = _VERDICTS.get(policy & 0xFF, "accept")


def _verdict(data):
    verdict = netlink.attributes(data)
    code = struct.unpack(">I", verdict[1])[0]
    name = _VERDICTS.get(code) or _VERDICTS.get(code & 0xFF, str(code))
    return name, verdict[2].rstrip(b"\0").decode() if 2 in verdict else None


def _device(index):
    if index is None:
        return None
    number = struct.unpack(">I", index)[0]
    return number or None


def name_devices(runs):
    """Puts names in place of interface numbers. Call in the namespace."""
    names = dict(socket.if_nameindex())
    for run in runs:
        for key in ("in", "out"):
            if isinstance(run[key], int):
                run[key] = names.get(run[key])
