import { addToIp, familyOf } from '../../net/ip.ts';
import { PLAIN_DEVICE } from '../../kernel/device/build.ts';
import { assignAddresses, deviceAddress } from '../../kernel/device/address.ts';
import { TABLE_MAIN } from '../../kernel/routing/route.ts';
import { unicastRoute } from '../../kernel/routing/build.ts';
import { invariant } from '../../support/invariant.ts';
import { podAddress, podKey, rangeOf } from '../cluster-index.ts';
import { once } from '../../support/once.ts';
import { EVERYWHERE } from '../everywhere.ts';
import { vethMac, vethName } from '../stable-mac.ts';
import { macFromIp } from '../../net/mac.ts';
import type { Cidr } from '../../net/cidr.ts';
import type { IpAddress } from '../../net/ip.ts';
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

/** Address of the bridge in a range: the second. */
export function bridgeAddress(range: Cidr): IpAddress {
  return addToIp(range.address, 1);
}

/** Those of a node's pods that have an address on its bridge. */
export function isOnBridge(pod: Pod, ranges: readonly Cidr[]): boolean {
  return !pod.hostNetwork && ranges.some(({ address }) => podAddress(pod, familyOf(address)) !== null);
}

/** The bridge of a node and the node ends of its pods' veths, in the order of the pods. `ranges`: the node's, at least one. */
export function bridgeDevices(
  settings: BridgeSettings,
  node: Node,
  ranges: readonly Cidr[],
  pods: readonly Pod[],
  mtu: number,
): readonly [BridgeDevice, ...VethDevice[]] {
  const bridge: BridgeDevice = {
    ...PLAIN_DEVICE,
    kind: 'bridge',
    name: settings.bridge,
    mac: bridgeMac(settings, ranges),
    mtu,
    addresses: assignAddresses(ranges.map((range) => deviceAddress(bridgeAddress(range), range.length, 'brd +'))),
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
  const macs = once(
    () =>
      new Map<IpAddress, Mac>(pods.flatMap((pod) => pod.addresses.map((ip): [IpAddress, Mac] => [ip, podMac(settings, pod)]))),
  );
  return (device, address) => (device === settings.bridge ? macs().get(address) : undefined);
}

/**
 * A pod's eth0 as the bridge plugin makes it with a default gateway: default route and (flannel's delegate) a route to the cluster's
 * range over the bridge, of each family in which both node and pod have something.
 */
export function podOnBridge(
  settings: BridgeSettings,
  pod: Pod,
  node: Node,
  ranges: readonly Cidr[],
  clusterRanges: readonly Cidr[],
  mtu: number,
  neighbours: readonly Pod[],
): PodNetwork | null {
  if (!isOnBridge(pod, ranges)) return null;
  const origin = { object: `Pod ${podKey(pod)}`, by: settings.by };
  const own = ranges.flatMap((range) => {
    const address = podAddress(pod, familyOf(range.address));
    return address === null ? [] : [{ range, address, gateway: bridgeAddress(range) }];
  });
  const onBridge = bridgeNeighbours(settings, neighbours);
  return {
    eth0: {
      ...PLAIN_DEVICE,
      kind: 'veth',
      name: 'eth0',
      mac: podMac(settings, pod),
      mtu: pod.mtu ?? mtu,
      addresses: assignAddresses(own.map(({ address, range }) => deviceAddress(address, range.length, 'brd +'))),
      peer: { host: `node/${node.name}`, device: vethName(pod) },
      origin: { ...origin, role: 'pod-eth0' },
    },
    routes: own.flatMap(({ gateway }) => {
      const family = familyOf(gateway);
      const cluster = rangeOf(clusterRanges, family);
      return [EVERYWHERE[family], ...(cluster === null ? [] : [cluster])].map(
        (dst): TableRoute => ({
          table: TABLE_MAIN,
          route: { ...unicastRoute(dst, { via: gateway, dev: 'eth0' }), origin: { ...origin, role: 'pod-route' } },
        }),
      );
    }),
    knownMac: (device, wanted) => {
      if (device !== 'eth0') return undefined;
      return own.some(({ gateway }) => wanted === gateway) ? bridgeMac(settings, ranges) : onBridge(settings.bridge, wanted);
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
  const ports = once(() => new Map<Mac, string>(pods.map((pod) => [podMac(settings, pod), vethName(pod)])));
  return (mac) => ports().get(mac);
}

/** The bridge's MAC is formed from its IPv4 address, if it has one; so is a pod's. */
function bridgeMac(settings: BridgeSettings, ranges: readonly Cidr[]): Mac {
  const first = rangeOf(ranges, 4) ?? ranges[0];
  invariant(first !== undefined, 'a bridge has a range');
  return macFromIp(settings.macPrefix, bridgeAddress(first));
}

function podMac(settings: BridgeSettings, pod: Pod): Mac {
  const address = podAddress(pod, 4) ?? podAddress(pod, 6);
  invariant(address !== null, 'a pod on a bridge has an address');
  return macFromIp(settings.macPrefix, address);
}
