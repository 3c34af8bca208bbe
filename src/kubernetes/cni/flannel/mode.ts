import { unicastRoute } from '../../../kernel/routing/build.ts';
import { bridgeDevices, bridgeNeighbours, podOnBridge } from '../bridged.ts';
import { clusterPodRange, podAddress, podRange } from '../../cluster-index.ts';
import { once } from '../../../support/once.ts';
import { EMPTY_NODE_NETWORK, NO_NEIGHBOURS } from '../mode.ts';
import { MAC_PREFIX } from '../../stable-mac.ts';
import { leaseOf } from './lease.ts';
import { leaseRoutes, leasesOf } from './leases.ts';
import { forwardRules, masqueradeRules } from './rules.ts';
import { VXLAN_OVERHEAD, sharedFdb, vxlanDevice, vxlanOverlay } from './vxlan.ts';
import type { CniConfig, Node, Pod } from '../../model/cluster.ts';
import type { CniContext, CniMode, NodeUplink } from '../mode.ts';
import type { BridgeSettings } from '../bridged.ts';
import type { Lease } from './lease.ts';
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

function modelledMode(config: FlannelConfig, context: CniContext, backend: ModelledBackend): CniMode {
  const { index } = context;
  const leases = leasesOf(index, backend);
  const fdb = sharedFdb(leases, `flannel.${config.vni}`);
  const settings: BridgeSettings = {
    bridge: 'cni0',
    macPrefix: MAC_PREFIX.pod,
    hairpinMode: config.hairpinMode,
    by: 'bridge-plugin',
  };
  const podsOf = (node: Node): readonly Pod[] =>
    index.podsOf(node.name).filter((pod) => !pod.hostNetwork && podAddress(pod) !== null);
  const uplinkOf = (lease: Lease): NodeUplink | undefined =>
    context.uplink(lease.node, lease.publicIp) ?? context.uplink(lease.node, null);
  const flannelMtu = (uplink: NodeUplink): number => config.mtu ?? uplink.mtu - (backend === 'vxlan' ? VXLAN_OVERHEAD : 0);
  const podMtu = (uplink: NodeUplink): number => config.podMtu ?? flannelMtu(uplink);

  const overlay = (node: Node, lease: Lease, uplink: NodeUplink): OverlayPart => {
    switch (backend) {
      case 'vxlan': {
        const device = vxlanDevice(lease, uplink, config.vni, config.port, flannelMtu(uplink));
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
    portmapBridge: settings.bridge,
    node(node) {
      const lease = leaseOf(node);
      const uplink = lease === null ? undefined : uplinkOf(lease);
      if (lease === null || uplink === undefined) return EMPTY_NODE_NETWORK;
      const pods = podsOf(node);
      const { devices, ...rest } = overlay(node, lease, uplink);
      return {
        devices: [...bridgeDevices(settings, node, lease.range, pods, podMtu(uplink)), ...devices],
        routes: [],
        ...rest,
        knownMac: bridgeNeighbours(settings, pods),
      };
    },
    pod(pod) {
      const node = index.node(pod.node);
      const lease = node ? leaseOf(node) : null;
      const uplink = lease === null ? undefined : uplinkOf(lease);
      if (lease === null || uplink === undefined) return null;
      const neighbours = podsOf(lease.node);
      return podOnBridge(settings, pod, lease.node, lease.range, clusterPodRange(index.cluster), podMtu(uplink), neighbours);
    },
    rules(node) {
      const cluster = clusterPodRange(index.cluster);
      const range = podRange(node);
      if (cluster === null || range === null) return [];
      return [
        ...(config.ipMasq ? masqueradeRules(cluster, range) : []),
        ...(config.iptablesForwardRules ? forwardRules(cluster) : []),
      ];
    },
    underlayRoutes: once(() =>
      backend === 'vxlan' || backend === 'host-gw'
        ? []
        : leases.all().map((lease) => ({ dst: lease.range, via: lease.publicIp, node: lease.node.name })),
    ),
  };
}

const NO_OVERLAY: OverlayPart = { devices: [], generatedRoutes: [], neighbours: NO_NEIGHBOURS, fdb: () => [] };
