import { PLAIN_DEVICE } from '../../../kernel/device/build.ts';
import { deviceAddress } from '../../../kernel/device/address.ts';
import { TABLE_MAIN } from '../../../kernel/routing/route.ts';
import { unicastRoute } from '../../../kernel/routing/build.ts';
import { once } from '../../../support/once.ts';
import { podAddress, podKey } from '../../cluster-index.ts';
import { EVERYWHERE } from '../../everywhere.ts';
import { vethMac } from '../../stable-mac.ts';
import { EMPTY_NODE_NETWORK } from '../mode.ts';
import { weaveMac, weaveVethName } from './network.ts';
import type { IpAddress } from '../../../net/ip.ts';
import type { Mac } from '../../../net/mac.ts';
import type { Origin } from '../../../trace/origin.ts';
import type { Device, VethDevice } from '../../../kernel/device/device.ts';
import type { FdbEntry } from '../../../kernel/device/fdb.ts';
import type { CniConfig, Node, Pod } from '../../model/cluster.ts';
import type { NodeNetwork, PodNetwork } from '../mode.ts';
import type { Peer, WeaveNetwork } from './network.ts';

export type WeaveConfig = Extract<CniConfig, { plugin: 'weave' }>;

/** Names that Weave gives its devices (net/bridge.go, router/fastdp.go). */
export const BRIDGE = 'weave';
const DATAPATH = 'datapath';
/** The bridge's port towards the datapath. */
export const BRIDGE_PORT = 'vethwe-bridge';
const DATAPATH_PORT = 'vethwe-datapath';

/** Weave's port is 6783; fast datapath uses the next one. */
const TUNNEL_PORT = 6784;
const TUNNEL = `vxlan-${TUNNEL_PORT}`;
/** What the smallest usual underlay (1460) leaves beside VXLAN's headers and those of ESP (fastdpImpl.init). */
const DEFAULT_MTU = 1376;
/** The most that a VXLAN device without a lower device takes: an IP packet less its own headers. */
const TUNNEL_MTU = 65535 - 50;
/** Real datapaths put both peers' ids there (tunnelIDFor). */
const VNI = 1;

function mtuOf(config: WeaveConfig): number {
  return config.mtu ?? DEFAULT_MTU;
}

/**
 * Weave's devices on a node in mode "bridged fastdp", the usual one. The datapath is Open vSwitch's: to it belong vethwe-datapath and
 * vxlan-6784, and it hands frames from one to the other past all of the node's bridges and firewalls. Here each of the two sends on by
 * the other what it receives, and the VXLAN device does what Weave's router does: it learns behind which peer a MAC is, and sends what
 * is for everybody or for somebody unknown to all peers (FastDatapath.bridge, relayBroadcast).
 */
export function weaveNodeNetwork(config: WeaveConfig, network: WeaveNetwork, self: Peer): NodeNetwork {
  const { node } = self;
  const pods = network.podsOf(node);
  return {
    ...EMPTY_NODE_NETWORK,
    devices: [...switchDevices(config, network, self), ...pods.map((pod) => podPort(config, pod))],
    fdb: once(() => toAllOthers(network, node)),
    knownMac: (device, address) => (device === BRIDGE ? network.macOf(address) : undefined),
  };
}

function switchDevices(config: WeaveConfig, network: WeaveNetwork, self: Peer): readonly Device[] {
  const { node, bridge, address } = self;
  const mtu = mtuOf(config);
  const macOf = (name: string): Mac => vethMac({ namespace: node.name, name });
  const origin = (role: string): Origin => ({ object: `Node ${node.name}`, by: 'weave', role });
  const veth = (name: string, peer: string): VethDevice => ({
    ...PLAIN_DEVICE,
    kind: 'veth',
    name,
    mac: macOf(name),
    mtu,
    peer: { host: `node/${node.name}`, device: peer },
    origin: origin('datapath'),
  });
  return [
    { ...PLAIN_DEVICE, kind: 'dummy', name: DATAPATH, mac: macOf(DATAPATH), mtu, origin: origin('datapath') },
    {
      ...PLAIN_DEVICE,
      kind: 'bridge',
      name: BRIDGE,
      mac: weaveMac(bridge),
      mtu,
      mtuFixed: true,
      addresses: [deviceAddress(bridge, network.range.length, 'brd +')],
      learnt: (mac) => portTowards(network, node, mac),
      origin: origin('bridge'),
    },
    { ...veth(DATAPATH_PORT, BRIDGE_PORT), redirect: TUNNEL },
    { ...veth(BRIDGE_PORT, DATAPATH_PORT), master: BRIDGE },
    {
      ...PLAIN_DEVICE,
      kind: 'vxlan',
      name: TUNNEL,
      mac: macOf(TUNNEL),
      mtu: TUNNEL_MTU,
      vni: VNI,
      local: address,
      port: TUNNEL_PORT,
      lower: null,
      learning: true,
      df: true,
      learnt: (mac) => peerTowards(network, node, mac),
      redirect: DATAPATH_PORT,
      origin: origin('tunnel'),
    },
  ];
}

function portTowards(network: WeaveNetwork, self: Node, mac: Mac): string | undefined {
  const place = network.placeOf(mac);
  if (place === undefined) return undefined;
  return place.peer.node.name === self.name ? (place.port ?? undefined) : BRIDGE_PORT;
}

function peerTowards(network: WeaveNetwork, self: Node, mac: Mac): IpAddress | undefined {
  const peer = network.placeOf(mac)?.peer;
  return peer === undefined || peer.node.name === self.name ? undefined : peer.address;
}

function toAllOthers(network: WeaveNetwork, self: Node): readonly FdbEntry[] {
  return network.peers().flatMap(({ node, address }) => {
    if (node.name === self.name) return [];
    const origin = { object: `Node ${node.name}`, by: 'weave', role: 'peer' };
    return [{ device: TUNNEL, mac: EVERYBODY, remote: address, origin }];
  });
}

/** The entry of a VXLAN device for all MACs that it does not know. */
const EVERYBODY = '00:00:00:00:00:00' as Mac;

function podPort(config: WeaveConfig, pod: Pod): VethDevice {
  return {
    ...PLAIN_DEVICE,
    kind: 'veth',
    name: weaveVethName(pod),
    mac: vethMac(pod),
    mtu: mtuOf(config),
    master: BRIDGE,
    hairpin: pod.hairpinMode ?? config.hairpinMode,
    peer: { host: `pod/${podKey(pod)}`, device: 'eth0' },
    origin: { object: `Pod ${podKey(pod)}`, by: 'weave', role: 'pod-veth' },
  };
}

/** A pod's eth0: the whole range is on its link, all else is behind the bridge of its node (CmdAdd, plugin/net/cni.go). */
export function weavePodNetwork(config: WeaveConfig, network: WeaveNetwork, pod: Pod, peer: Peer): PodNetwork | null {
  const address = podAddress(pod, 4);
  if (address === null || !network.isOnIt(pod)) return null;
  const origin = { object: `Pod ${podKey(pod)}`, by: 'weave' };
  return {
    eth0: {
      ...PLAIN_DEVICE,
      kind: 'veth',
      name: 'eth0',
      mac: weaveMac(address),
      mtu: pod.mtu ?? mtuOf(config),
      addresses: [deviceAddress(address, network.range.length, 'brd +')],
      peer: { host: `node/${peer.node.name}`, device: weaveVethName(pod) },
      origin: { ...origin, role: 'pod-eth0' },
    },
    routes: [
      {
        table: TABLE_MAIN,
        route: { ...unicastRoute(EVERYWHERE[4], { via: peer.bridge, dev: 'eth0' }), origin: { ...origin, role: 'pod-route' } },
      },
    ],
    knownMac: (device, wanted) => (device === 'eth0' ? network.macOf(wanted) : undefined),
  };
}
