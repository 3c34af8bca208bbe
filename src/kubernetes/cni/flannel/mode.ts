import { unicastRoute } from '../../../kernel/routing/build.ts';
import { bridgeDevices, bridgeNeighbours, isOnBridge, podOnBridge } from '../bridged.ts';
import { clusterPodRange, podRange } from '../../cluster-index.ts';
import { once } from '../../../support/once.ts';
import { EMPTY_NODE_NETWORK, NO_NEIGHBOURS } from '../mode.ts';
import { NETWORK_NAME } from '../../sandbox-id.ts';
import { MAC_PREFIX } from '../../stable-mac.ts';
import { leaseOf } from './lease.ts';
import { leaseRoutes, leasesOf } from './leases.ts';
import { forwardRules, masqueradeRules } from './rules.ts';
import { VXLAN_OVERHEAD, deviceName, sharedFdb, vxlanDevice, vxlanOverlay } from './vxlan.ts';
import type { IpFamily } from '../../../net/ip.ts';
import type { FdbEntry } from '../../../kernel/device/fdb.ts';
import type { CniConfig, Node, Pod } from '../../model/cluster.ts';
import type { CniContext, CniMode, NodeUplink } from '../mode.ts';
import type { BridgeSettings } from '../bridged.ts';
import type { Lease } from './lease.ts';
import type { Leases } from './leases.ts';
import type { OverlayPart } from './vxlan.ts';

export type FlannelConfig = Extract<CniConfig, { plugin: 'flannel' }>;

/** flannel with the bridge plugin as its delegate (facts: flannel-node). Backends that are not modelled give their name. */
export function flannelMode(config: FlannelConfig, context: CniContext): CniMode | { readonly notModelled: string } {
  switch (config.backend) {
    case 'vxlan':
    case 'host-gw':
    case 'ali-vpc':
    case 'aws-vpc':
    case 'gce':
      return modelledMode(config, context, config.backend);
    case 'udp':
    case 'ipip':
    case 'wireguard':
      return { notModelled: `flannel backend ${config.backend}` };
  }
}

type ModelledBackend = 'vxlan' | 'host-gw' | 'ali-vpc' | 'aws-vpc' | 'gce';

/** What flannel does for one IP family in the whole cluster (EnableIPv4, EnableIPv6 of its net-conf.json). */
interface FamilyNetwork {
  readonly leases: Leases;
  readonly fdb: (self: Node) => readonly FdbEntry[];
}

function modelledMode(config: FlannelConfig, context: CniContext, backend: ModelledBackend): CniMode {
  const { index } = context;
  const ownLease = (node: Node, family: IpFamily): Lease | null =>
    leaseOf(node, family, context.uplinks(node), config.iface ?? []);
  const network = (family: IpFamily): FamilyNetwork => {
    const leases = leasesOf(index, backend, family, (node) => ownLease(node, family));
    return { leases, fdb: sharedFdb(leases, deviceName(family, config.vni)) };
  };
  const networks: Readonly<Record<IpFamily, FamilyNetwork>> = { 4: network(4), 6: network(6) };
  const families = ([4, 6] as const).filter((family) => clusterPodRange(index.cluster, family) !== null);
  const settings: BridgeSettings = {
    bridge: 'cni0',
    macPrefix: MAC_PREFIX.pod,
    hairpinMode: config.hairpinMode,
    by: 'bridge-plugin',
  };
  const leasesOn = (node: Node): readonly Lease[] => families.flatMap((family) => ownLease(node, family) ?? []);
  const podsOf = (node: Node): readonly Pod[] => index.podsOf(node.name).filter((pod) => isOnBridge(pod, node.podCidrs));
  const flannelMtu = (uplink: NodeUplink): number => config.mtu ?? uplink.mtu - (backend === 'vxlan' ? VXLAN_OVERHEAD : 0);
  const podMtu = (uplink: NodeUplink): number => config.podMtu ?? flannelMtu(uplink);

  const overlay = (node: Node, lease: Lease): OverlayPart => {
    const { uplink } = lease;
    const { leases, fdb } = networks[lease.family];
    switch (backend) {
      case 'vxlan': {
        const device = vxlanDevice(lease, config.vni, config.port, flannelMtu(uplink));
        return vxlanOverlay(leases, node, device, fdb);
      }
      case 'host-gw':
        return {
          ...NO_OVERLAY,
          // A gateway that is not on the link is refused by the kernel: the daemon logs it and goes on.
          generatedRoutes: [
            leaseRoutes(leases, node, (other) =>
              uplink.onLink(other.publicIp)
                ? {
                    ...unicastRoute(other.range, { via: other.publicIp, dev: uplink.device }),
                    origin: { object: `Node ${other.node.name}`, by: 'flannel', role: 'node-route' },
                  }
                : null,
            ),
          ],
        };
      case 'ali-vpc':
      case 'aws-vpc':
      case 'gce':
        return NO_OVERLAY;
    }
  };

  return {
    portmap: { bridge: settings.bridge, network: NETWORK_NAME, subnet: podRange },
    node(node) {
      const leases = leasesOn(node);
      const [first] = leases;
      if (first === undefined) return EMPTY_NODE_NETWORK;
      const pods = podsOf(node);
      const ranges = leases.map(({ range }) => range);
      const { devices, ...rest } = together(leases.map((lease) => overlay(node, lease)));
      return {
        devices: [...bridgeDevices(settings, node, ranges, pods, podMtu(first.uplink)), ...devices],
        routes: [],
        ...rest,
        knownMac: bridgeNeighbours(settings, pods),
      };
    },
    pod(pod) {
      const node = index.node(pod.node);
      const leases = node ? leasesOn(node) : [];
      const [first] = leases;
      if (!node || first === undefined) return null;
      const ranges = leases.map(({ range }) => range);
      return podOnBridge(settings, pod, node, ranges, index.cluster.podCidrs, podMtu(first.uplink), podsOf(node));
    },
    rules(node, family) {
      const cluster = clusterPodRange(index.cluster, family);
      const range = podRange(node, family);
      if (cluster === null || range === null) return [];
      return [
        ...(config.ipMasq ? masqueradeRules(cluster, range) : []),
        ...(config.iptablesForwardRules ? forwardRules(cluster) : []),
      ];
    },
    underlayRoutes: once(() =>
      backend === 'vxlan' || backend === 'host-gw'
        ? []
        : families.flatMap((family) =>
            networks[family].leases.all().map((lease) => ({ dst: lease.range, via: lease.publicIp, node: lease.node.name })),
          ),
    ),
  };
}

const NO_OVERLAY: OverlayPart = { devices: [], generatedRoutes: [], neighbours: NO_NEIGHBOURS, fdb: () => [] };

/** What the daemon does for each family, side by side. */
function together(parts: readonly OverlayPart[]): OverlayPart {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  return {
    devices: parts.flatMap(({ devices }) => devices),
    generatedRoutes: parts.flatMap(({ generatedRoutes }) => generatedRoutes),
    neighbours: {
      get(device, address) {
        for (const { neighbours } of parts) {
          const entry = neighbours.get(device, address);
          if (entry) return entry;
        }
        return undefined;
      },
      *entries() {
        for (const { neighbours } of parts) yield* neighbours.entries();
      },
    },
    fdb: once(() => parts.flatMap(({ fdb }) => fdb())),
  };
}
