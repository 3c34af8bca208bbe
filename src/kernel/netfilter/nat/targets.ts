import { cidrBits } from '../../../net/cidr.ts';
import { ipv4, ipv6, isIpv4, parseIpv4 } from '../../../net/ip.ts';
import { selectAddress } from '../../routing/source-address.ts';
import { setupNat } from './setup.ts';
import type { Cidr } from '../../../net/cidr.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { HookCall } from '../hook.ts';
import type { NatAction } from '../iptables/context.ts';
import type { Manip } from './manipulate.ts';
import type { NatRange } from './range.ts';

const LOCALHOST = parseIpv4('127.0.0.1');

/** HOOK2MANIP: PREROUTING and OUTPUT rewrite destinations, INPUT and POSTROUTING sources. */
export function manipOf(hook: HookCall['hook']): Manip {
  return hook === 'POSTROUTING' || hook === 'INPUT' ? 'src' : 'dst';
}

/** The NAT targets (xt_nat.c, xt_MASQUERADE.c, xt_REDIRECT.c, xt_NETMAP.c) on the connection's first packet. */
export function runNatTarget(call: HookCall, action: NatAction): 'accept' | 'drop' {
  const { walk, host, skb } = call;
  const entry = skb.conntrack?.entry;
  if (!entry) return 'accept';
  const range = rangeOf(call, action);
  if (!range) return 'drop';
  const manip =
    action.kind === 'netmap' ? manipOf(call.hook) : action.kind === 'dnat' || action.kind === 'redirect' ? 'dst' : 'src';
  if (action.kind === 'masquerade') entry.masqueradeDevice = call.outDevice;
  setupNat(entry, range, manip, walk.state.host(host.name).conntrack, walk.state.now);
  return 'accept';
}

function rangeOf(call: HookCall, action: NatAction): NatRange | null {
  const { host, skb } = call;
  switch (action.kind) {
    case 'dnat':
    case 'snat':
      return action.range;
    case 'masquerade': {
      // nf_nat_masquerade_ipv4: an address of the out device that suits the next hop; the route's source does not count. IPv6 asks for one
      // that suits the destination.
      const towards = isIpv4(skb.packet.dst) ? nextHop(call) : skb.packet.dst;
      const address = call.outDevice === null ? null : selectAddress(host, call.outDevice, towards);
      return address === null ? null : { ...action.range, minAddress: address, maxAddress: address };
    }
    case 'redirect': {
      const address = call.hook === 'OUTPUT' ? loopback(skb.packet.dst) : firstAddress(call);
      return address === null ? null : { ...action.range, minAddress: address, maxAddress: address };
    }
    case 'netmap': {
      const address = manipOf(call.hook) === 'dst' ? skb.packet.dst : skb.packet.src;
      const mapped = mapPrefix(address, action.to);
      return {
        minAddress: mapped,
        maxAddress: mapped,
        minPort: null,
        maxPort: null,
        random: false,
        randomFully: false,
        persistent: false,
      };
    }
  }
}

function nextHop({ skb }: HookCall): IpAddress {
  const { route, packet } = skb;
  return route && route.kind !== 'error' && route.gateway !== null ? route.gateway : packet.dst;
}

function loopback(like: IpAddress): IpAddress | null {
  return isIpv4(like) ? LOCALHOST : ipv6(1n);
}

/** nf_nat_redirect_ipv4, nf_nat_redirect_ipv6: the first address of the device that the packet came by. */
function firstAddress({ host, inDevice, skb }: HookCall): IpAddress | null {
  const addresses = inDevice === null ? [] : (host.devices.get(inDevice)?.addresses ?? []);
  return addresses.find(({ address }) => isIpv4(address) === isIpv4(skb.packet.dst))?.address ?? null;
}

/** Keeps the host bits and replaces the prefix. */
function mapPrefix(address: IpAddress, to: Cidr): IpAddress {
  if (isIpv4(address) && typeof to.address === 'number') return ipv4((address & ~Number(to.mask)) | to.address);
  const hostBits = (1n << BigInt(cidrBits(to) - to.length)) - 1n;
  return ipv6((BigInt(address) & hostBits) | BigInt(to.address));
}
