import { formatIp, ipHeaderLength, isIpv4 } from '../../net/ip.ts';
import { fdbEntries } from '../device/fdb.ts';
import { hash } from '../netfilter/nat/unique-tuple.ts';
import { perHost } from '../per-host.ts';
import { routeOutput } from '../routing/output.ts';
import { sysctl } from '../sysctl.ts';
import { emitRoute } from './route-event.ts';
import { cloneSkb, localSkb, scrub } from './skb.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Mac } from '../../net/mac.ts';
import type { Frame, Packet, UdpHeader } from '../../net/packet.ts';
import type { Origin } from '../../trace/origin.ts';
import type { VxlanDevice } from '../device/device.ts';
import type { Host } from '../host.ts';
import type { Skb } from './skb.ts';
import type { Walk } from './walk.ts';

/** Bytes of Ethernet, VXLAN and UDP header (RFC 7348); the outer IP header comes on top. */
const VXLAN_HEADERS = 30;
/** The entry of `bridge fdb append 00:00:00:00:00:00 ...`: where frames for unknown MACs go. */
const ANY_MAC = '00:00:00:00:00:00' as Mac;

/**
 * vxlan_xmit: the frame goes to the VTEPs that the FDB names (several for a MAC that nobody knows, the first of them last), in UDP
 * datagrams that pass this host's own OUTPUT.
 */
export function vxlanTransmit(walk: Walk, host: Host, device: VxlanDevice, skb: Skb): void {
  const { srcMac, dstMac } = skb;
  const [first, ...others] = dstMac === null ? [] : tunnelEntries(walk, host, device, dstMac);
  if (first === undefined || !srcMac || !dstMac) {
    walk.drop(skb, host, 'NO_TX_TARGET', 'vxlan_xmit', { device: device.name, detail: { mac: dstMac ?? '' } });
    return;
  }
  for (const entry of others) transmitTo(walk, host, device, cloneSkb(skb), { srcMac, dstMac }, entry);
  transmitTo(walk, host, device, skb, { srcMac, dstMac }, first);
}

type Macs = Pick<Frame, 'srcMac' | 'dstMac'>;
type Remote = { readonly remote: IpAddress; readonly origin?: Origin };

/** vxlan_xmit_one */
function transmitTo(walk: Walk, host: Host, device: VxlanDevice, skb: Skb, macs: Macs, { remote, origin }: Remote): void {
  const { packet } = skb;
  const flow = {
    dst: remote,
    src: device.local,
    iif: 'lo',
    oif: null,
    mark: skb.mark,
    tos: 0,
    protocol: 'udp',
    sport: sourcePort(packet),
    dport: device.port,
  };
  const route = routeOutput(host, flow, walk.choices);
  if (route.kind === 'local') {
    emitRoute(walk, host, skb, route, 'tunnel');
    bypassTunnel(walk, host, device, skb);
    return;
  }
  if (walk.recording) {
    walk.emit(skb, host, {
      kind: 'encapsulate',
      device: device.name,
      tunnel: 'vxlan',
      vni: device.vni,
      local: device.local === null ? '' : formatIp(device.local),
      remote: formatIp(remote),
      overhead: VXLAN_HEADERS + ipHeaderLength(remote),
      ...(origin && { origin }),
    });
  }
  if (route.kind === 'error' || route.source === null || route.device === device.name) {
    emitRoute(walk, host, skb, route, 'tunnel');
    walk.drop(skb, host, 'IP_OUTNOROUTES', 'vxlan_xmit_one', { device: device.name });
    return;
  }
  // The mark goes along to the outer packet, everything else stays behind (iptunnel_xmit).
  scrub(skb, false);
  skb.outer = true;
  skb.device = device.name;
  skb.packetType = 'host';
  skb.packet = {
    src: route.source,
    dst: remote,
    ttl: sysctl(host.sysctls, 'net.ipv4.ip_default_ttl'),
    tos: 0,
    df: device.df === true || !isIpv4(remote),
    length: packet.length + VXLAN_HEADERS + ipHeaderLength(remote),
    l4: {
      protocol: 'udp',
      sport: flow.sport,
      dport: device.port,
      encapsulated: { vni: device.vni, frame: { ...macs, packet } },
    },
  };
  emitRoute(walk, host, skb, route, 'tunnel');
  skb.route = route;
  walk.push({ kind: 'output', host: host.name, skb });
}

/** vxlan_find_mac: the VTEPs behind which a MAC is, as was set or learnt, else those for all that is unknown. */
function tunnelEntries(walk: Walk, host: Host, device: VxlanDevice, mac: Mac): readonly Remote[] {
  const set = entriesFor(host, device, mac);
  if (set.length > 0) return set;
  const remote = learntRemote(walk, host, device, mac);
  return remote === undefined ? unknownRemotes(host, device) : [{ remote }];
}

/** Where a vxlan device sends frames for MACs that it does not know. */
export function unknownRemotes(host: Host, device: VxlanDevice): readonly Remote[] {
  return entriesFor(host, device, ANY_MAC);
}

function entriesFor(host: Host, device: VxlanDevice, mac: Mac): readonly Remote[] {
  return fdbEntries(host, mac).flatMap(({ device: name, remote, origin }) =>
    name === device.name && remote !== null ? [{ remote, ...(origin && { origin }) }] : [],
  );
}

function learntRemote(walk: Walk, host: Host, device: VxlanDevice, mac: Mac): IpAddress | undefined {
  if (!device.learning) return undefined;
  return walk.state.host(host.name).remoteOf(device.name, mac) ?? device.learnt?.(mac);
}

/** vxlan_snoop: a device that learns remembers behind which VTEP a MAC is. */
export function learnRemote(walk: Walk, host: Host, device: VxlanDevice, mac: Mac, remote: IpAddress): void {
  if (!device.learning || learntRemote(walk, host, device, mac) === remote) return;
  walk.state.host(host.name).macs.learnRemote(device.name, mac, remote);
}

/** Where a frame for everybody comes out that a vxlan device sends to one remote; null: nowhere, the tunnel does not get it there. */
export function tunnelEnd(
  walk: Walk,
  host: Host,
  device: VxlanDevice,
  remote: IpAddress,
  frame: Frame,
): { readonly host: Host; readonly device: VxlanDevice } | null {
  let end: { readonly host: Host; readonly device: VxlanDevice } | null = null;
  const send = (aside: Walk): void => transmitTo(aside, host, device, localSkb(frame.packet, 'other', false), frame, { remote });
  walk.follow(send, (step) => {
    if (step.kind !== 'receive' || step.skb.outer) return false;
    const there = walk.world.host(step.host);
    const arrived = there?.devices.get(step.device);
    if (!there || arrived?.kind !== 'vxlan') return false;
    end = { host: there, device: arrived };
    return true;
  });
  return end;
}

/**
 * encap_bypass_if_local, vxlan_encap_bypass: a VTEP that is this host itself gets no datagram. What should be wrapped comes in by the
 * tunnel's device again, taken for this host's whatever its MAC address was; mark and conntrack entry stay.
 */
function bypassTunnel(walk: Walk, host: Host, device: VxlanDevice, skb: Skb): void {
  skb.srcMac = null;
  skb.dstMac = null;
  skb.route = null;
  walk.push({ kind: 'receive', host: host.name, device: device.name, skb });
}

/** udp_flow_src_port: a hash of the inner flow in the local port range, so that a flow keeps its path. */
function sourcePort({ src, dst, l4 }: Packet): number {
  const ports = 'sport' in l4 ? `${l4.sport} ${l4.dport}` : '';
  return 32768 + (hash(`${src} ${dst} ${l4.protocol} ${ports}`) % 28232);
}

const vxlanDevices = perHost(({ devices }) => [...devices.values()].filter((device) => device.kind === 'vxlan'));

/** vxlan_rcv: takes a datagram for a VXLAN device off the UDP layer; false when no device of this host wants it. */
export function vxlanReceive(walk: Walk, host: Host, skb: Skb, udp: UdpHeader): boolean {
  const { encapsulated } = udp;
  // A device has a socket of its local address's family only (vxlan_sock_add).
  const isV4 = isIpv4(skb.packet.dst);
  const listens = (device: VxlanDevice): boolean =>
    device.up && device.port === udp.dport && (device.local === null || isIpv4(device.local)) === isV4;
  const atPort = vxlanDevices(host).filter(listens);
  if (atPort.length === 0) return false;
  const device = atPort.find(({ vni }) => vni === encapsulated?.vni);
  if (!encapsulated || !device || encapsulated.frame.srcMac === device.mac) {
    walk.drop(skb, host, 'VXLAN_VNI_NOT_FOUND', 'vxlan_rcv', { detail: { vni: String(encapsulated?.vni ?? '') } });
    return true;
  }
  const { src, dst } = skb.packet;
  const { frame } = encapsulated;
  learnRemote(walk, host, device, frame.srcMac, src);
  if (walk.recording) {
    walk.emit(skb, host, {
      kind: 'decapsulate',
      device: device.name,
      tunnel: 'vxlan',
      vni: device.vni,
      local: formatIp(dst),
      remote: formatIp(src),
      overhead: VXLAN_HEADERS + ipHeaderLength(dst),
    });
  }
  // Within one namespace a mark that the outer packet was given stays on the inner one (__iptunnel_pull_header).
  scrub(skb, false);
  skb.outer = false;
  skb.packet = frame.packet;
  skb.srcMac = frame.srcMac;
  skb.dstMac = frame.dstMac;
  walk.push({ kind: 'receive', host: host.name, device: device.name, skb });
  return true;
}
