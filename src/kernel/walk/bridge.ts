import { isIpv4 } from '../../net/ip.ts';
import { BROADCAST_MAC } from '../../net/mac.ts';
import { fdbEntries } from '../device/fdb.ts';
import { runHook } from '../netfilter/run-hook.ts';
import { routeInput } from '../routing/input.ts';
import { perHost } from '../per-host.ts';
import { sysctl } from '../sysctl.ts';
import { fragment } from './fragment.ts';
import { neighbourOrFail } from './neighbour.ts';
import { emitRoute } from './route-event.ts';
import { cloneSkb, VLAN_SLACK } from './skb.ts';
import type { Mac } from '../../net/mac.ts';
import type { Packet } from '../../net/packet.ts';
import type { BridgeDevice, Device } from '../device/device.ts';
import type { Host } from '../host.ts';
import type { Skb } from './skb.ts';
import type { Walk } from './walk.ts';

/** br_handle_frame: a frame came by a port. br_netfilter lends it the ip hooks where bridge-nf-call-iptables is on. */
export function bridgeReceive(walk: Walk, host: Host, port: Device, bridge: BridgeDevice, skb: Skb): void {
  if (!bridge.up) {
    walk.drop(skb, host, 'DEV_READY', 'br_handle_frame', { device: bridge.name });
    return;
  }
  if (skb.dstMac === bridge.mac) skb.packetType = 'host';
  if (callsIpHooks(host, skb)) {
    skb.bridge = { physIn: port.name, bridge: bridge.name, physOut: null, preroutingDone: true };
    if (!bridgePrerouting(walk, host, bridge, skb)) return;
  }
  if (skb.dstMac === bridge.mac) passUp(walk, host, bridge, port, skb);
  else forwardFrame(walk, host, bridge, port, skb);
}

/** net.bridge.bridge-nf-call-iptables, a setting of the namespace. */
function callsIpHooks(host: Host, { packet }: Skb): boolean {
  return isIpv4(packet.dst) ? callsIptables(host) : callsIp6tables(host);
}

const callsIptables = perHost(({ sysctls }) => sysctl(sysctls, 'net.bridge.bridge-nf-call-iptables') !== 0);
const callsIp6tables = perHost(({ sysctls }) => sysctl(sysctls, 'net.bridge.bridge-nf-call-ip6tables') !== 0);

/** br_nf_pre_routing and its finish: a changed destination is looked up: still on this bridge, or up to the IP stack? */
function bridgePrerouting(walk: Walk, host: Host, bridge: BridgeDevice, skb: Skb): boolean {
  const before = skb.packet.dst;
  const { packetType } = skb;
  skb.packetType = asSeenByHooks(packetType);
  const call = { walk, host, hook: 'PREROUTING', skb, inDevice: bridge.name, outDevice: null } as const;
  if (runHook(call) !== 'accept') return false;
  skb.packetType = packetType;
  if (skb.packet.dst === before) return true;
  const route = routeInput(host, skb.packet, bridge.name, skb.mark, walk.choices);
  if (route.kind === 'martian') {
    walk.drop(skb, host, route.reason, 'br_nf_pre_routing_finish', { device: bridge.name });
    return false;
  }
  emitRoute(walk, host, skb, route, 'bridge');
  if (route.kind === 'error' && !isIpv4(skb.packet.dst)) {
    walk.drop(skb, host, 'NOT_SPECIFIED', 'br_nf_pre_routing_finish_ipv6', { device: bridge.name });
    return false;
  }
  if (route.kind === 'unicast' && route.device === bridge.name) {
    const mac = neighbourOrFail(walk, host, { ...cloneSkb(skb), route }, bridge.name, route.gateway ?? skb.packet.dst);
    if (mac === null) return false;
    skb.dstMac = mac;
    return true;
  }
  skb.route = route;
  skb.dstMac = bridge.mac;
  skb.packetType = 'host';
  return true;
}

/** While ip hooks run, a frame between ports counts as one for this host (setup_pre_routing, br_nf_forward_ip). */
function asSeenByHooks(type: Skb['packetType']): Skb['packetType'] {
  return type === 'otherhost' ? 'host' : type;
}

/** br_pass_frame_up: the frame is the bridge's own; it enters the IP stack by the bridge device. */
function passUp(walk: Walk, host: Host, bridge: BridgeDevice, port: Device, skb: Skb): void {
  if (walk.recording) {
    walk.emit(skb, host, { kind: 'bridge', bridge: bridge.name, inPort: port.name, action: 'local', outPort: null });
  }
  walk.push({ kind: 'receive', host: host.name, device: bridge.name, skb });
}

/** br_handle_frame_finish, br_forward: out by the port behind which the MAC is, or by all. */
function forwardFrame(walk: Walk, host: Host, bridge: BridgeDevice, port: Device, skb: Skb): void {
  const out = portOf(walk, host, bridge, skb.dstMac);
  if (out) {
    if (out.name === port.name && !port.hairpin) {
      walk.drop(skb, host, 'NOT_SPECIFIED', 'br_handle_frame_finish', { device: port.name });
      return;
    }
    if (walk.recording) {
      walk.emit(skb, host, { kind: 'bridge', bridge: bridge.name, inPort: port.name, action: 'forward', outPort: out.name });
    }
    forwardBy(walk, host, bridge, port, out, skb);
    return;
  }
  walk.emit(skb, host, { kind: 'bridge', bridge: bridge.name, inPort: port.name, action: 'flood', outPort: null });
  if (skb.dstMac === BROADCAST_MAC) passUp(walk, host, bridge, port, cloneSkb(skb));
  for (const flooded of floodPorts(walk, host, bridge, port, skb.dstMac)) {
    forwardBy(walk, host, bridge, port, flooded, cloneSkb(skb));
  }
}

/** __br_forward with br_nf_forward and br_nf_post_routing: only bridged packets get ip FORWARD and POSTROUTING from the bridge. */
function forwardBy(walk: Walk, host: Host, bridge: BridgeDevice, port: Device, out: Device, skb: Skb): void {
  if (skb.bridge) {
    skb.bridge.physOut = out.name;
    skb.packetType = asSeenByHooks(skb.packetType);
    const outDevice = bridge.name;
    if (runHook({ walk, host, hook: 'FORWARD', skb, inDevice: bridge.name, outDevice }) !== 'accept') return;
    if (runHook({ walk, host, hook: 'POSTROUTING', skb, inDevice: null, outDevice }) !== 'accept') return;
  }
  pushToPort(walk, host, bridge, port.name, out, skb);
}

/** br_dev_xmit: a routed packet leaves by the bridge device: no ip hooks any more. */
export function bridgeTransmit(walk: Walk, host: Host, bridge: BridgeDevice, skb: Skb): void {
  const out = portOf(walk, host, bridge, skb.dstMac);
  if (out) {
    pushToPort(walk, host, bridge, null, out, skb);
    return;
  }
  walk.emit(skb, host, { kind: 'bridge', bridge: bridge.name, inPort: null, action: 'flood', outPort: null });
  const ports = floodPorts(walk, host, bridge, null, skb.dstMac);
  if (ports.length === 0) walk.drop(skb, host, 'NOT_SPECIFIED', 'br_flood', { device: bridge.name });
  for (const port of ports) pushToPort(walk, host, bridge, null, port, cloneSkb(skb));
}

/**
 * br_nf_dev_queue_xmit, br_nf_ip_fragment: what br_netfilter lets out of a port is cut by the bridge's MTU where it exceeds the port's, or
 * the fragments it came in; null where that must not be.
 */
function cutForPort({ packet, bridge, fragmentSize }: Skb, bridgeMtu: number, portMtu: number): readonly Packet[] | null {
  if (!bridge?.physOut || packet.length <= Math.min(portMtu, fragmentSize || portMtu)) return [packet];
  if (packet.df || fragmentSize > bridgeMtu) return null;
  return fragment(packet, Math.min(bridgeMtu, fragmentSize || bridgeMtu));
}

/** br_dev_queue_push_xmit: a frame larger than the port's MTU is lost without a word. */
function pushToPort(walk: Walk, host: Host, bridge: BridgeDevice, inPort: string | null, out: Device, skb: Skb): void {
  const { srcMac, dstMac, packet } = skb;
  if (srcMac && dstMac && bridge.filter?.({ srcMac, dstMac, packet }, inPort, out.name)) {
    walk.drop(skb, host, 'FIREWALL', 'bridge firewall', { device: out.name });
    return;
  }
  const pieces = cutForPort(skb, bridge.mtu, out.mtu);
  if (!pieces) {
    walk.drop(skb, host, 'PKT_TOO_BIG', 'br_nf_ip_fragment', { device: out.name, detail: { mtu: String(out.mtu) } });
    return;
  }
  for (const piece of pieces) {
    if (piece.length > out.mtu + VLAN_SLACK) {
      walk.drop(skb, host, 'PKT_TOO_BIG', 'br_dev_queue_push_xmit', { device: out.name, detail: { mtu: String(out.mtu) } });
      return;
    }
    const sent = cloneSkb(skb);
    sent.packet = piece;
    walk.push({ kind: 'transmit', host: host.name, device: out.name, skb: sent });
  }
}

/** The port behind which a MAC is: a static entry, or what the bridge has learnt. */
function portOf(walk: Walk, host: Host, bridge: BridgeDevice, mac: Mac | null): Device | null {
  if (mac === null || mac === BROADCAST_MAC) return null;
  const fixed = fdbEntries(host, mac).find(
    ({ device, remote }) => remote === null && host.devices.get(device)?.master === bridge.name,
  );
  const name = fixed?.device ?? walk.state.host(host.name).portOf(bridge.name, mac) ?? bridge.learnt(mac);
  const port = name === undefined ? undefined : host.devices.get(name);
  return port?.up && port.master === bridge.name ? port : null;
}

/** Ports that an unknown unicast frame is worth sending to: those at whose far end somebody takes it. */
function floodPorts(walk: Walk, host: Host, bridge: BridgeDevice, inPort: Device | null, mac: Mac | null): readonly Device[] {
  return [...host.devices.values()].filter((port) => {
    if (port.master !== bridge.name || !port.up || (port.name === inPort?.name && !port.hairpin)) return false;
    if (port.kind !== 'veth') return port.kind === 'vxlan';
    const end = walk.world.host(port.peer.host)?.devices.get(port.peer.device);
    return end !== undefined && (end.mac === mac || mac === BROADCAST_MAC || end.master !== null || end.redirect !== undefined);
  });
}
