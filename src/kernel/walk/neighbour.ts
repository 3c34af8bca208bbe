import { formatIp } from '../../net/ip.ts';
import { BROADCAST_MAC } from '../../net/mac.ts';
import { perHost } from '../per-host.ts';
import { remembered } from '../remembered.ts';
import { resolveOnLink } from '../neighbour/resolve.ts';
import { sendIcmpError, UNREACHABLE } from './icmp-error.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Mac } from '../../net/mac.ts';
import type { Host } from '../host.ts';
import type { ResolvedRoute } from '../routing/resolved-route.ts';
import type { Skb } from './skb.ts';
import type { Walk } from './walk.ts';

/** ip_finish_output2, ip6_finish_output2: finds the next hop's MAC and hands the frame to the device. */
export function sendToNeighbour(walk: Walk, host: Host, skb: Skb, route: Exclude<ResolvedRoute, { kind: 'error' }>): void {
  const device = walk.device(host, route.device);
  if (!device) {
    walk.drop(skb, host, 'DEV_READY', 'ip_finish_output2', { device: route.device });
    return;
  }
  if (device.kind !== 'loopback') {
    const mac =
      route.kind === 'broadcast' ? BROADCAST_MAC : neighbourOrFail(walk, host, skb, device.name, route.gateway ?? skb.packet.dst);
    if (mac === null) return;
    skb.srcMac = device.mac;
    skb.dstMac = mac;
  }
  walk.push({ kind: 'transmit', host: host.name, device: device.name, skb });
}

/**
 * neigh_resolve_output: the MAC of a neighbour, known or asked for. Null when nobody answers: after three seconds the packet's sender is
 * told "host unreachable" (arp_error_report, ndisc_error_report) and the packet is dropped.
 */
export function neighbourOrFail(walk: Walk, host: Host, skb: Skb, device: string, address: IpAddress): Mac | null {
  const mac = findNeighbour(walk, host, device, address, skb);
  if (mac === null || walk.world.coldNeighbours) {
    walk.emit(skb, host, { kind: 'neighbour', device, address: formatIp(address), mac });
  }
  if (mac === null) {
    walk.later(() => {
      sendIcmpError(walk, host, skb, UNREACHABLE.HOST);
      walk.drop(skb, host, 'NEIGH_FAILED', 'neigh_invalidate', { device, detail: { address: formatIp(address) } });
    });
  }
  return mac;
}

/** What a host's immutable table says of an address behind a device; null: nothing. */
const knownNeighbours = perHost(({ neighbours }) =>
  remembered((device: string) => remembered((address: IpAddress) => neighbours.get(device, address) ?? null)),
);

function findNeighbour(walk: Walk, host: Host, device: string, address: IpAddress, skb: Skb): Mac | null {
  const entry = knownNeighbours(host)(device)(address);
  if (entry) return entry.state === 'failed' ? null : entry.mac;
  const state = walk.state.host(host.name);
  const learnt = state.neighbour(device, address);
  if (learnt) return learnt;
  const mac = resolveOnLink(walk, host, device, address, skb.packet.src);
  if (mac) state.learn(device, address, mac);
  return mac;
}
