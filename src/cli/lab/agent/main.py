"""
The measuring part of `k8snet lab verify`: one process that keeps servers, packet captures and netfilter's traces of all namespaces
of a lab, and makes connections in them. Requests come as JSON lines on stdin, answers leave as JSON lines on stdout.

    {"op": "open", "hosts": [{"host", "netns", "traced", "servers": [{"protocol", "address", "port", "owner"}]}], "vxlanPort"}
    {"op": "probe", "host", "protocol", "destination", "port", ..., "seconds"}   what the sockets, captures and traces saw
    {"op": "reset"}   forgets connections, learnt routes and lists of the `recent` match
"""

import json
import os
import selectors
import subprocess
import sys
import time

import netlink
import nftrace
from capture import Capture
from listen import Server, reset
from namespace import inside
from probe import Probe

# How long nothing must have happened for a packet's way to be over: deliveries are immediate in one kernel.
_QUIET_SECONDS = 0.02

_PRIVATE_TABLES = "".join(
    f"""table {family} {nftrace.PRIVATE_TABLE} {{
  chain prerouting {{ type filter hook prerouting priority -350; meta nftrace set 1; }}
  chain output {{ type filter hook output priority -350; meta nftrace set 1; }}
}}
"""
    for family in ("ip", "ip6")
)


class Agent:
    def __init__(self):
        self.netns = {}
        self.traces = []
        self.captures = []
        self.servers = []
        self.probes = []
        self.selector = selectors.DefaultSelector()

    def open(self, request):
        for spec in request["hosts"]:
            host = spec["host"]
            self.netns[host] = spec["netns"]
            with inside(spec["netns"]):
                self._set("ipv4/icmp_ratelimit", "0")
                self._set("ipv6/icmp/ratelimit", "0")
                if spec["traced"]:
                    traced = nftrace.HostTrace(host, request["vxlanPort"])
                    traced.number_rules()
                    self.traces.append(self._watch(traced))
                self.captures.append(self._watch(Capture(host, request["vxlanPort"])))
                for described in spec["servers"]:
                    server = Server(host, **described)
                    server.open()
                    self.servers.append(self._watch(server))
            if spec["traced"]:
                command = ["ip", "netns", "exec", spec["netns"], "nft", "-f", "-"]
                subprocess.run(command, input=_PRIVATE_TABLES, text=True, check=True, stdout=subprocess.DEVNULL)
        return {}

    def probe(self, request):
        self._forget_observations()
        with inside(self.netns[request["host"]]):
            probe = Probe(request)
        self.probes.append(probe)
        self.selector.register(probe.socket, selectors.EVENT_READ | (selectors.EVENT_WRITE if request["protocol"] == "tcp" else 0), probe)
        end = time.monotonic() + request["seconds"]
        try:
            while probe.result is None and (left := end - time.monotonic()) > 0:
                self._handle(left, probe)
        finally:
            self.selector.unregister(probe.socket)
        self._drain()
        for server in self.servers:
            server.read_data()
        local = probe.local
        runs = []
        for traced in self.traces:
            with inside(self.netns[traced.host]):
                nftrace.name_devices(traced.runs)
            runs.extend(traced.runs)
        frames = sorted((frame for capture in self.captures for frame in capture.frames), key=lambda frame: frame["time"])
        arrivals = [arrival for server in self.servers for arrival in server.arrivals]
        result = probe.result or {"connected": False, "errno": None}
        answer = {"result": {**result, "local": local}, "arrivals": arrivals, "runs": runs, "frames": frames}
        self._end_half_open(probe)
        return answer

    def _end_half_open(self, probe):
        """Nothing of a connection that has not come about may be sent again later."""
        if not probe.connected:
            probe.socket.close()
            self.probes.remove(probe)
        for server in self.servers:
            self.selector.unregister(server.socket)
            with inside(self.netns[server.host]):
                server.renew()
            self._watch(server)

    def reset(self, _request):
        for probe in self.probes:
            reset(probe.socket)
        self.probes.clear()
        for server in self.servers:
            server.forget()
        self._drain()
        for traced in self.traces:
            with inside(self.netns[traced.host]):
                netlink.flush_conntrack()
                _empty_recent_lists()
        for netns in self.netns.values():
            with inside(netns):
                self._set("ipv4/route/flush", "1")
                self._set("ipv6/route/flush", "1")
        self._forget_observations()
        return {}

    def _watch(self, source):
        self.selector.register(source.socket, selectors.EVENT_READ, source)
        return source

    def _handle(self, seconds, probe=None):
        """Waits for one round of events; true when there was any."""
        events = self.selector.select(seconds)
        for key, _mask in events:
            if key.data is probe:
                probe.ready()
            else:
                key.data.read()
        return bool(events)

    def _drain(self):
        while self._handle(_QUIET_SECONDS):
            pass

    def _forget_observations(self):
        self._drain()
        for traced in self.traces:
            traced.runs = []
        for capture in self.captures:
            capture.frames = []
        for server in self.servers:
            server.arrivals.clear()

    @staticmethod
    def _set(key, value):
        path = f"/proc/sys/net/{key}"
        if not os.path.exists(path):  # A kernel without IPv6.
            return
        with open(path, "w", encoding="ascii") as file:
            file.write(value)


def _empty_recent_lists():
    folder = "/proc/thread-self/net/xt_recent"
    if os.path.isdir(folder):
        for name in os.listdir(folder):
            with open(f"{folder}/{name}", "w", encoding="ascii") as file:
                file.write("/")


def main():
    agent = Agent()
    operations = {"open": agent.open, "probe": agent.probe, "reset": agent.reset}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"ok": True, **operations[request["op"]](request)}
        except Exception as error:  # The other side tells the user.
            answer = {"ok": False, "message": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


main()
