"""The few nfnetlink messages the lab needs: nf_tables rules and traces, emptying conntrack (linux/netfilter/nf_tables.h)."""

import socket
import struct

NETLINK_NETFILTER = 12
_SOL_NETLINK = 270
_NETLINK_ADD_MEMBERSHIP = 1
_NETLINK_NO_ENOBUFS = 5
_GROUP_NFTRACE = 9
_SO_RCVBUFFORCE = 33

_NLM_F_REQUEST = 1
_NLM_F_ACK = 4
_NLM_F_DUMP = 0x300
_NLMSG_ERROR = 2
_NLMSG_DONE = 3

_NFNL_SUBSYS_CTNETLINK = 1
_NFNL_SUBSYS_NFTABLES = 10
_IPCTNL_MSG_CT_DELETE = 2
_NFT_MSG_NEWCHAIN = 3
_NFT_MSG_GETCHAIN = 4
_NFT_MSG_NEWRULE = 6
_NFT_MSG_GETRULE = 7
_NFT_MSG_TRACE = 17

_HOOKS = ("PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING")


def open_socket(groups=()):
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_NETFILTER)
    sock.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, 16 << 20)
    sock.bind((0, 0))
    for group in groups:
        sock.setsockopt(_SOL_NETLINK, _NETLINK_ADD_MEMBERSHIP, group)
    sock.setblocking(False)
    return sock


def open_trace_socket():
    """Hears of every rule that a traced packet meets in the current namespace."""
    return open_socket([_GROUP_NFTRACE])


def attributes(data):
    """Attributes by number; of a repeated one the last."""
    found = {}
    at = 0
    while at + 4 <= len(data):
        length, kind = struct.unpack_from("=HH", data, at)
        if length < 4:
            break
        found[kind & 0x3FFF] = data[at + 4 : at + length]
        at += (length + 3) & ~3
    return found


def _messages(data):
    at = 0
    while at + 16 <= len(data):
        length, kind, _flags, _seq, _pid = struct.unpack_from("=IHHII", data, at)
        if length < 16:
            return
        yield kind, data[at + 16 : at + length]
        at += (length + 3) & ~3


def _request(sock, kind, flags, family, body=b""):
    payload = struct.pack("=BBH", family, 0, 0) + body
    sock.sendall(struct.pack("=IHHII", 16 + len(payload), kind, _NLM_F_REQUEST | flags, 1, 0) + payload)


def _text(value):
    return value.rstrip(b"\0").decode()


def trace_messages(data):
    """What the kernel told of traced packets, as (nfproto, attributes)."""
    for kind, body in _messages(data):
        if kind == (_NFNL_SUBSYS_NFTABLES << 8 | _NFT_MSG_TRACE):
            yield body[0], attributes(body[4:])


def _dump(get, new, family):
    """Attributes of all objects of a kind and family in the current namespace."""
    with open_socket() as sock:
        sock.setblocking(True)
        _request(sock, _NFNL_SUBSYS_NFTABLES << 8 | get, _NLM_F_DUMP, family)
        while True:
            for kind, body in _messages(sock.recv(1 << 20)):
                if kind == _NLMSG_DONE:
                    return
                if kind == _NLMSG_ERROR:
                    raise OSError(-struct.unpack_from("=i", body)[0], "dump of nf_tables")
                if kind == (_NFNL_SUBSYS_NFTABLES << 8 | new):
                    yield attributes(body[4:])


def rule_numbers(family):
    """Numbers (from 1) of all rules of a family in the current namespace by (table, chain, handle)."""
    numbers = {}
    counts = {}
    for rule in _dump(_NFT_MSG_GETRULE, _NFT_MSG_NEWRULE, family):
        chain = (_text(rule[1]), _text(rule[2]))
        counts[chain] = counts.get(chain, 0) + 1
        numbers[(*chain, struct.unpack(">Q", rule[3])[0])] = counts[chain]
    return numbers


def base_chain_hooks(family):
    """Names of hooks of all base chains of a family in the current namespace by (table, chain)."""
    hooks = {}
    for chain in _dump(_NFT_MSG_GETCHAIN, _NFT_MSG_NEWCHAIN, family):
        if 4 in chain:
            hooks[(_text(chain[1]), _text(chain[3]))] = _HOOKS[struct.unpack(">I", attributes(chain[4])[1])[0]]
    return hooks


def flush_conntrack():
    """Forgets all connections of the current namespace."""
    with open_socket() as sock:
        sock.setblocking(True)
        _request(sock, _NFNL_SUBSYS_CTNETLINK << 8 | _IPCTNL_MSG_CT_DELETE, _NLM_F_ACK, socket.AF_UNSPEC)
        sock.recv(1 << 16)
