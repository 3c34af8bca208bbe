import { cidrContains } from '../../net/cidr.ts';
import { isIpv4 } from '../../net/ip.ts';
import { addressTypeOn, isLocalAddress } from '../routing/address-type.ts';
import { routeInput } from '../routing/input.ts';
import { selectAddress } from '../routing/source-address.ts';
import { deviceSettings } from '../device/settings.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Mac } from '../../net/mac.ts';
import type { Device } from '../device/device.ts';
import type { Host } from '../host.ts';
import type { Walk } from '../walk/walk.ts';

/**
 * An ARP request, or a neighbour solicitation of IPv6, for an address over the link of a device: the MAC of who answers, null if nobody
 * does. Rules of ip6tables, which neighbour discovery has to pass, are not asked.
 */
export function resolveOnLink(
  walk: Walk,
  host: Host,
  deviceName: string,
  address: IpAddress,
  packetSource: IpAddress,
): Mac | null {
  const device = host.devices.get(deviceName);
  if (!device) return null;
  // arp_solicit, arp_announce=0: the packet's own source if it is ours, else an address of the device.
  const sender = isLocalAddress(host.routing, packetSource) ? packetSource : selectAddress(host, deviceName, address, 'link');
  const candidates = new Set(walk.world.holders(address));
  for (const there of onLink(walk, host, device, candidates, null)) {
    if (answers(walk, there, address, sender)) return there.device.mac;
  }
  return null;
}

interface Place {
  readonly host: Host;
  readonly device: Device;
}

/** Everybody whom a broadcast from a device reaches, as far as he might hold the address. */
function* onLink(walk: Walk, host: Host, device: Device, candidates: ReadonlySet<string>, from: string | null): Generator<Place> {
  switch (device.kind) {
    case 'veth': {
      const peer = device.peer;
      if (device.name === from || !device.up || !candidates.has(peer.host)) return;
      const there = walk.world.host(peer.host);
      const end = there?.devices.get(peer.device);
      if (!there || !end?.up) return;
      const master = end.master === null ? undefined : there.devices.get(end.master);
      if (master?.kind === 'bridge') {
        yield { host: there, device: master };
        yield* throughBridge(walk, there, master.name, candidates, end.name);
      } else yield { host: there, device: end };
      return;
    }
    case 'bridge':
      yield* throughBridge(walk, host, device.name, candidates, null);
      return;
    case 'vxlan':
    case 'loopback':
    case 'dummy':
      // A vxlan device without an entry for the broadcast address sends ARP to nobody.
      return;
  }
}

function* throughBridge(
  walk: Walk,
  host: Host,
  bridge: string,
  candidates: ReadonlySet<string>,
  inPort: string | null,
): Generator<Place> {
  for (const port of host.devices.values()) {
    if (port.master === bridge && port.name !== inPort) yield* onLink(walk, host, port, candidates, null);
  }
}

/** arp_process: does this host answer? Its routing must deliver the address locally; arp_ignore may limit it to the device's own. */
function answers(walk: Walk, { host, device }: Place, address: IpAddress, sender: IpAddress | null): boolean {
  if (!device.mac) return false;
  // ndisc_recv_ns: IPv6 answers for the addresses of the device that is asked, and does not mind who asks.
  if (!isIpv4(address)) return device.addresses.some((own) => own.address === address);
  if (addressTypeOn(host.routing, address, null) !== 'LOCAL') return false;
  if (!answersOn(host, device, address, sender)) return false;
  if (sender === null) return true;
  const packet = {
    src: sender,
    dst: address,
    ttl: 1,
    tos: 0,
    df: false,
    length: 28,
    l4: { protocol: 'other', number: 0 },
  } as const;
  return routeInput(host, packet, device.name, 0, walk.choices).kind === 'local';
}

/** arp_ignore */
function answersOn(host: Host, device: Device, address: IpAddress, sender: IpAddress | null): boolean {
  const own = device.addresses.find((a) => a.address === address);
  switch (deviceSettings(host, device.name).arpIgnore) {
    case 0:
      return true;
    case 1:
      return own !== undefined;
    case 2:
      return own !== undefined && (sender === null || cidrContains(own.prefix, sender));
    case 8:
      return false;
    default:
      return own !== undefined;
  }
}
