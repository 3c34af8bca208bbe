import { addToIp, isIpv4 } from '../../net/ip.ts';
import { PLAIN_DEVICE } from '../../kernel/device/build.ts';
import { deviceAddress } from '../../kernel/device/address.ts';
import { TABLE_MAIN } from '../../kernel/routing/route.ts';
import { unicastRoute } from '../../kernel/routing/build.ts';
import { invariant } from '../../support/invariant.ts';
import { podAddress, podKey } from '../cluster-index.ts';
import { once } from '../../support/once.ts';
import { EVERYWHERE } from '../everywhere.ts';
import { vethMac, vethName } from '../stable-mac.ts';
import { macFromIpv4 } from '../../net/mac.ts';
import type { Cidr } from '../../net/cidr.ts';
import type { IpAddress, Ipv4 } from '../../net/ip.ts';
import type { Mac } from '../../net/mac.ts';
import type { BridgeDevice, VethDevice } from '../../kernel/device/device.ts';
import type { TableRoute } from '../../kernel/routing/connected.ts';
import type { Node, Pod } from '../model/cluster.ts';
import type { PodNetwork } from './mode.ts';

/** How a plugin hangs the pods of a node on a bridge. */
export interface BridgeSettings {
  readonly bridge: string;
  /** First two bytes of the bridge's and the pods' MACs. */
  readonly macPrefix: string;
  readonly hairpinMode: boolean;
  /** Who makes the devices, for origins. */
  readonly by: string;
}

/** Address of the bridge: the second of the node's range. */
export function bridgeAddress(range: Extract<Cidr, { address: Ipv4 }>): Ipv4 {
  const address = addToIp(range.address, 1);
  invariant(isIpv4(address), 'an IPv4 range holds IPv4 addresses');
  return address;
}

/** The bridge of a node and the node ends of its pods' veths, in the order of the pods. */
export function bridgeDevices(
  settings: BridgeSettings,
  node: Node,
  range: Extract<Cidr, { address: Ipv4 }>,
  pods: readonly Pod[],
  mtu: number,
): readonly [BridgeDevice, ...VethDevice[]] {
  const gateway = bridgeAddress(range);
  const bridge: BridgeDevice = {
    ...PLAIN_DEVICE,
    kind: 'bridge',
    name: settings.bridge,
    mac: macFromIpv4(settings.macPrefix, gateway),
    mtu,
    addresses: [deviceAddress(gateway, range.length, 'brd +')],
    learnt: portsByMac(settings, pods),
    origin: { object: `Node ${node.name}`, by: settings.by, role: 'bridge' },
  };
  return [bridge, ...pods.map((pod) => podVeth(settings, pod, mtu))];
}

/** What the bridge of a node knows of the pods on it: address to MAC. */
export function bridgeNeighbours(
  settings: BridgeSettings,
  pods: readonly Pod[],
): (device: string, address: IpAddress) => Mac | undefined {
  const macs = once(() => new Map<IpAddress, Mac>(withAddress(pods).map(([, ip]) => [ip, macFromIpv4(settings.macPrefix, ip)])));
  return (device, address) => (device === settings.bridge ? macs().get(address) : undefined);
}

/**
 * A pod's eth0 as the bridge plugin makes it with a default gateway: default route and (flannel's delegate) a route to the cluster's
 * range over the bridge.
 */
export function podOnBridge(
  settings: BridgeSettings,
  pod: Pod,
  node: Node,
  range: Extract<Cidr, { address: Ipv4 }>,
  clusterRange: Cidr | null,
  mtu: number,
  neighbours: readonly Pod[],
): PodNetwork | null {
  const address = podAddress(pod);
  if (address === null) return null;
  const gateway = bridgeAddress(range);
  const origin = { object: `Pod ${podKey(pod)}`, by: settings.by };
  const toGateway = (dst: Cidr): TableRoute => ({
    table: TABLE_MAIN,
    route: { ...unicastRoute(dst, { via: gateway, dev: 'eth0' }), origin: { ...origin, role: 'pod-route' } },
  });
  const onBridge = bridgeNeighbours(settings, neighbours);
  return {
    eth0: {
      ...PLAIN_DEVICE,
      kind: 'veth',
      name: 'eth0',
      mac: macFromIpv4(settings.macPrefix, address),
      mtu: pod.mtu ?? mtu,
      addresses: [deviceAddress(address, range.length, 'brd +')],
      peer: { host: `node/${node.name}`, device: vethName(pod) },
      origin: { ...origin, role: 'pod-eth0' },
    },
    routes: [toGateway(EVERYWHERE), ...(clusterRange === null ? [] : [toGateway(clusterRange)])],
    knownMac: (device, wanted) => {
      if (device !== 'eth0') return undefined;
      return wanted === gateway ? macFromIpv4(settings.macPrefix, gateway) : onBridge(settings.bridge, wanted);
    },
  };
}

function podVeth(settings: BridgeSettings, pod: Pod, mtu: number): VethDevice {
  return {
    ...PLAIN_DEVICE,
    kind: 'veth',
    name: vethName(pod),
    mac: vethMac(pod),
    mtu,
    master: settings.bridge,
    hairpin: pod.hairpinMode ?? settings.hairpinMode,
    peer: { host: `pod/${podKey(pod)}`, device: 'eth0' },
    origin: { object: `Pod ${podKey(pod)}`, by: settings.by, role: 'pod-veth' },
  };
}

function portsByMac(settings: BridgeSettings, pods: readonly Pod[]): (mac: Mac) => string | undefined {
  const ports = once(
    () => new Map<Mac, string>(withAddress(pods).map(([pod, ip]) => [macFromIpv4(settings.macPrefix, ip), vethName(pod)])),
  );
  return (mac) => ports().get(mac);
}

function withAddress(pods: readonly Pod[]): [Pod, Ipv4][] {
  return pods.flatMap((pod): [Pod, Ipv4][] => {
    const address = podAddress(pod);
    return address === null ? [] : [[pod, address]];
  });
}
