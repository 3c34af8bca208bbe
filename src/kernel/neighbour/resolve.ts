import { cidrContains } from '../../net/cidr.ts';
import { isIpv4 } from '../../net/ip.ts';
import { BROADCAST_MAC } from '../../net/mac.ts';
import { addressTypeOn, isLocalAddress } from '../routing/address-type.ts';
import { routeInput } from '../routing/input.ts';
import { selectAddress } from '../routing/source-address.ts';
import { deviceSettings } from '../device/settings.ts';
import { learnRemote, tunnelEnd, unknownRemotes } from '../walk/vxlan.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Mac } from '../../net/mac.ts';
import type { Packet, Frame } from '../../net/packet.ts';
import type { BridgeDevice, Device, VethDevice, VxlanDevice } from '../device/device.ts';
import type { Host } from '../host.ts';
import type { Walk } from '../walk/walk.ts';

/**
 * An ARP request, or a neighbour solicitation of IPv6, for an address over the link of a device: the MAC of who answers, null if nobody
 * does. Rules of ip6tables, which neighbour discovery has to pass, are not asked. Bridges and tunnels on the way learn both ends' MACs.
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
  const search: Search = { walk, address, sender, asker: device, candidates: new Set(walk.world.holders(address)) };
  for (const there of fromAsker(search, host)) {
    if (!answers(walk, there, address, sender)) continue;
    for (const learn of there.lessons) learn(device.mac, there.device.mac);
    return there.device.mac;
  }
  return null;
}

/** What is asked for, by whom, and who might hold it. */
interface Search {
  readonly walk: Walk;
  readonly address: IpAddress;
  readonly sender: IpAddress | null;
  readonly asker: Device;
  readonly candidates: ReadonlySet<string>;
}

/** What a bridge or a tunnel on the way learns once request and answer have passed. */
type Lesson = (asker: Mac | null, holder: Mac | null) => void;

interface Place {
  readonly host: Host;
  readonly device: Device;
  readonly lessons: readonly Lesson[];
}

/** Everybody whom a broadcast of the asking device reaches, as far as he might hold the address. */
function* fromAsker(search: Search, host: Host): Generator<Place> {
  const { asker, walk } = search;
  if (asker.kind === 'bridge') yield* throughBridge(search, host, asker, null, []);
  else if (asker.kind === 'veth' && asker.up && walk.world.host(asker.peer.host)) yield* throughCable(search, asker, []);
  else yield* outOf(search, host, asker, []);
}

/** Everybody whom a broadcast reaches that leaves by a device. */
function* outOf(search: Search, host: Host, device: Device, lessons: readonly Lesson[]): Generator<Place> {
  if (!device.up) return;
  switch (device.kind) {
    case 'veth':
      if (device.peer.host === host.name || search.candidates.has(device.peer.host)) yield* throughCable(search, device, lessons);
      return;
    case 'bridge':
      yield* throughBridge(search, host, device, null, lessons);
      return;
    case 'vxlan':
      yield* throughTunnel(search, host, device, lessons);
      return;
    case 'loopback':
    case 'dummy':
      return;
  }
}

function* throughCable(search: Search, { peer }: VethDevice, lessons: readonly Lesson[]): Generator<Place> {
  const there = search.walk.world.host(peer.host);
  const end = there?.devices.get(peer.device);
  if (there && end?.up) yield* into(search, there, end, lessons);
}

/** A broadcast comes in by a device. */
function* into(search: Search, host: Host, device: Device, lessons: readonly Lesson[]): Generator<Place> {
  if (device.redirect !== undefined) {
    const next = host.devices.get(device.redirect);
    if (next) yield* outOf(search, host, next, lessons);
    return;
  }
  const master = device.master === null ? undefined : host.devices.get(device.master);
  if (master?.kind === 'bridge') {
    const learnAsker: Lesson = (asker) => learnPort(search.walk, host, master, asker, device.name);
    yield { host, device: master, lessons: [...lessons, learnAsker] };
    yield* throughBridge(search, host, master, device.name, [...lessons, learnAsker]);
  } else yield { host, device, lessons };
}

function* throughBridge(
  search: Search,
  host: Host,
  bridge: BridgeDevice,
  inPort: string | null,
  lessons: readonly Lesson[],
): Generator<Place> {
  for (const port of host.devices.values()) {
    if (port.master !== bridge.name || port.name === inPort) continue;
    const learnHolder: Lesson = (_, holder) => learnPort(search.walk, host, bridge, holder, port.name);
    yield* outOf(search, host, port, [...lessons, learnHolder]);
  }
}

function learnPort({ state }: Walk, host: Host, bridge: BridgeDevice, mac: Mac | null, port: string): void {
  if (mac !== null && bridge.learnt(mac) !== port) state.host(host.name).macs.learnPort(bridge.name, mac, port);
}

/** A vxlan device sends broadcasts to the VTEPs of its entry for unknown MACs; without one to nobody. The answer must come back as well. */
function* throughTunnel(search: Search, host: Host, device: VxlanDevice, lessons: readonly Lesson[]): Generator<Place> {
  const { walk, asker } = search;
  if (asker.mac === null) return;
  const frame: Frame = { srcMac: asker.mac, dstMac: BROADCAST_MAC, packet: arpPacket(search) };
  for (const { remote } of unknownRemotes(host, device)) {
    if (!leadsToHolder(search, remote)) continue;
    const far = tunnelEnd(walk, host, device, remote, frame);
    if (!far) continue;
    const back = device.local === null ? null : tunnelEnd(walk, far.host, far.device, device.local, frame);
    if (back?.host.name !== host.name) continue;
    const learnBoth: Lesson = (askerMac, holder) => {
      if (holder !== null) learnRemote(walk, host, device, holder, remote);
      if (askerMac !== null && device.local !== null) learnRemote(walk, far.host, far.device, askerMac, device.local);
    };
    yield* into(search, far.host, far.device, [...lessons, learnBoth]);
  }
}

/** Spares the tunnels of a large cluster: is the host with this address one that has the address asked for, or the next one to it? */
function leadsToHolder({ walk, address, candidates }: Search, remote: IpAddress): boolean {
  const has = (name: string, wanted: IpAddress): boolean =>
    [...(walk.world.host(name)?.devices.values() ?? [])].some(({ addresses }) => addresses.some((own) => own.address === wanted));
  const ends = [...walk.world.holders(remote)].filter((name) => has(name, remote));
  return [...candidates].some((name) => {
    if (ends.includes(name)) return true;
    const devices = has(name, address) ? [...(walk.world.host(name)?.devices.values() ?? [])] : [];
    return devices.some((device) => device.kind === 'veth' && ends.includes(device.peer.host));
  });
}

function arpPacket({ address, sender }: Pick<Search, 'address' | 'sender'>): Packet {
  const l4 = { protocol: 'other', number: 0 } as const;
  return { src: sender ?? address, dst: address, ttl: 1, tos: 0, df: false, length: 28, l4 };
}

/** arp_process: does this host answer? Its routing must deliver the address locally; arp_ignore may limit it to the device's own. */
function answers(walk: Walk, { host, device }: Place, address: IpAddress, sender: IpAddress | null): boolean {
  if (!device.mac) return false;
  // ndisc_recv_ns: IPv6 answers for the addresses of the device that is asked, and does not mind who asks.
  if (!isIpv4(address)) return device.addresses.some((own) => own.address === address);
  if (addressTypeOn(host.routing, address, null) !== 'LOCAL') return false;
  if (!answersOn(host, device, address, sender)) return false;
  if (sender === null) return true;
  return routeInput(host, arpPacket({ address, sender }), device.name, 0, walk.choices).kind === 'local';
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
