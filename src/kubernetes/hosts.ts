import { isIpv4 } from '../net/ip.ts';
import { deviceAddress } from '../kernel/device/address.ts';
import { PLAIN_DEVICE, loopbackDevice } from '../kernel/device/build.ts';
import { lazyNetfilter } from '../kernel/netfilter/build.ts';
import { buildHost } from './build-host.ts';
import { balancerHost } from './balancer/host.ts';
import { healthListeners } from './balancer/health.ts';
import { returnMarks, returnRules } from './balancer/router.ts';
import { podKey } from './cluster-index.ts';
import { dumpedRules } from './dumped-rules.ts';
import {
  LEAF_SYSCTLS,
  NODE_SYSCTLS,
  NODE_SYSCTLS_6,
  ROUTER_SYSCTLS,
  ROUTER_SYSCTLS_6,
  hostSysctls,
  writeAll,
} from './host-sysctls.ts';
import { kubeProxySysctls } from './kube-proxy/iptables/index.ts';
import { IPVS_DEVICE, ipvsTimeoutsOf, kubeProxyIpvsSysctls } from './kube-proxy/ipvs/index.ts';
import { userspaceListeners } from './kube-proxy/userspace/listeners.ts';
import { externalListeners, nodeListeners, podListeners } from './listeners.ts';
import { nodeIpvs, nodeNftables, nodeRules } from './node-rules.ts';
import { hasHostPorts } from './portmap.ts';
import { hasDump } from './model/node-dump.ts';
import { interfacesOf } from './model/node-interfaces.ts';
import { externalNetwork, nodeUplinks, underlayNetwork } from './underlay/hosts.ts';
import { rangeHolding } from './underlay/links.ts';
import type { RecogniseRules } from './dumped-rules.ts';
import type { Host } from '../kernel/host.ts';
import type { Sysctls } from '../kernel/sysctl.ts';
import type { Device } from '../kernel/device/device.ts';
import type { NetfilterMakers } from '../kernel/netfilter/build.ts';
import type { ClusterIndex } from './cluster-index.ts';
import type { IpvsState } from './kube-proxy/ipvs/index.ts';
import type { CniContext, CniMode, NodeUplink } from './cni/mode.ts';
import type { ExternalHost, Node, Pod } from './model/cluster.ts';
import type { Balancer } from './balancer/balancers.ts';
import type { CabledBalancer } from './balancer/cables.ts';
import type { Links } from './underlay/links.ts';

/** What all hosts of a cluster are compiled from. */
export interface Blueprint {
  readonly index: ClusterIndex;
  readonly links: Links;
  readonly cni: CniMode;
  /** Nobody knows a neighbour yet. */
  readonly cold: boolean;
  readonly recogniseRules: RecogniseRules;
  /** Names of nodes that fail the health checks of a balancer. */
  readonly unhealthy: (balancer: Balancer) => ReadonlySet<string>;
}

/** Namespace of a node, before its `commands`. */
export function nodeHost(node: Node, { index, links, cni, cold, recogniseRules }: Blueprint): Host {
  const uplinks = nodeUplinks(node, links, index.ipv6);
  const network = cni.node(node);
  const ipvs = nodeIpvs(index, cni, node, 'all');
  const devices = [...uplinks.devices, ...network.devices, ...ipvsDevices(ipvs)];
  const pods = index.podsOf(node.name);
  return buildHost(
    {
      name: `node/${node.name}`,
      devices,
      routes: [...uplinks.routes, ...network.routes],
      generatedRoutes: network.generatedRoutes,
      neighbours: network.neighbours,
      knownMac: (device, address) => uplinks.knownMac(device, address) ?? network.knownMac(device, address),
      fdb: network.fdb,
      sysctls: writeAll(
        hostSysctls(withIpv6(NODE_SYSCTLS, index.ipv6 ? NODE_SYSCTLS_6 : null), node.sysctls, devices),
        daemonSysctls(node, pods, index, cni),
      ),
      netfilter: lazyNetfilter({
        ...(dumpedRules(node, recogniseRules) ?? compiledRules(index, cni, node)),
        ipsets: () =>
          new Map([...ipvs.flatMap(({ ipsets }) => ipsets), ...(cni.ipsets?.(node) ?? [])].map((set) => [set.name, set])),
        ipvs: () => ipvs.flatMap(({ virtualServers }) => virtualServers),
        ...(ipvs.length > 0 && { ipvsTimeouts: ipvsTimeoutsOf(index.cluster) }),
      }),
      listeners: [
        ...pods.filter(({ hostNetwork }) => hostNetwork).flatMap(podListeners),
        ...nodeListeners(node),
        ...healthListeners(index.cluster, node),
        ...(index.cluster.kubeProxy.mode === 'userspace' ? userspaceListeners(index.cluster, node) : []),
      ],
      origin: { object: `Node ${node.name}`, by: 'kubelet', role: 'node' },
    },
    cold,
  );
}

function compiledRules(index: ClusterIndex, cni: CniMode, node: Node): NetfilterMakers {
  return {
    iptables: () => nodeRules(index, cni, node, 'all', 4),
    nftables: () => nodeNftables(index, cni, node, 'all'),
    ...(index.ipv6 && { ip6tables: () => nodeRules(index, cni, node, 'all', 6) }),
  };
}

/** kube-ipvs0: it stays down, and its addresses are the node's all the same (EnsureDummyDevice, EnsureAddressBind). */
function ipvsDevices(states: readonly IpvsState[]): readonly Device[] {
  if (states.length === 0) return [];
  const addresses = states.flatMap(({ boundAddresses }) => boundAddresses.map((ip) => deviceAddress(ip, isIpv4(ip) ? 32 : 128)));
  const origin = { object: null, by: 'kube-proxy' };
  return [{ ...PLAIN_DEVICE, kind: 'dummy', name: IPVS_DEVICE, mac: null, mtu: 1500, up: false, addresses, origin }];
}

function withIpv6(base: Sysctls, more: Sysctls | null): Sysctls {
  return more === null ? base : new Map([...base, ...more]);
}

/** Namespace of a pod that is not in the host's network. */
export function podHost(pod: Pod, { index, cni, cold }: Blueprint): Host {
  const network = cni.pod(pod);
  const devices = [loopbackDevice(index.ipv6), ...(network ? [network.eth0] : [])];
  return buildHost(
    {
      name: `pod/${podKey(pod)}`,
      devices,
      routes: network?.routes ?? [],
      knownMac: network?.knownMac ?? (() => undefined),
      sysctls: hostSysctls(LEAF_SYSCTLS, {}, devices),
      listeners: podListeners(pod),
      origin: { object: `Pod ${podKey(pod)}`, by: 'kubelet', role: 'pod' },
    },
    cold,
  );
}

export function externalHost(external: ExternalHost, { index, links, cold }: Blueprint): Host {
  const network = externalNetwork(external, links, index.ipv6);
  return buildHost(
    {
      name: `external/${external.name}`,
      ...network,
      sysctls: hostSysctls(LEAF_SYSCTLS, {}, network.devices),
      listeners: externalListeners(external),
      origin: { object: `External ${external.name}`, by: 'underlay', role: 'external' },
    },
    cold,
  );
}

/** Namespace of one of the cloud's balancers. */
export function cloudHost(cabled: CabledBalancer, { index, links, cold, unhealthy }: Blueprint): Host {
  return balancerHost(cabled, { cluster: index.cluster, links, ipv6: index.ipv6, cold, unhealthy });
}

/** Switch and router of the nodes. */
export function underlayHost({ index, links, cni, cold }: Blueprint): Host {
  const { cluster } = index;
  const mode = cluster.loadBalancer?.mode ?? null;
  const network = underlayNetwork(links, cluster.underlay.firewall, cni.underlayRoutes(), mode, index.ipv6);
  const sysctls = withIpv6(ROUTER_SYSCTLS, index.ipv6 ? ROUTER_SYSCTLS_6 : null);
  // Ports have no part in routing: their own sysctls say nothing.
  const routing = network.devices.filter(({ master }) => master === null);
  const returning = mode === 'nodePort' ? links.balancers : [];
  return buildHost(
    {
      name: 'underlay',
      ...network,
      sysctls: hostSysctls(sysctls, {}, routing),
      listeners: [],
      ...(returning.length > 0 && {
        routingRules: returnRules(returning),
        netfilter: lazyNetfilter({
          iptables: () => returnMarks(returning, 4),
          ...(index.ipv6 && { ip6tables: () => returnMarks(returning, 6) }),
        }),
      }),
    },
    cold,
  );
}

/** What CNI modes may ask about the underlay. */
export function cniContext(index: ClusterIndex, links: Links): CniContext {
  return {
    index,
    uplinks: (node) =>
      interfacesOf(node).map(({ device, addresses, mtu }): NodeUplink => {
        const attachment = links.ofNode(node.name, device);
        return {
          device,
          addresses: addresses.map(({ address }) => address),
          mtu,
          onLink: (other) => attachment !== undefined && rangeHolding(attachment.link, other) !== undefined,
        };
      }),
  };
}

/** kube-proxy's sysctls come with its rules; portmap's with the first pod that has a host port. */
function daemonSysctls(node: Node, pods: readonly Pod[], index: ClusterIndex, cni: CniMode): [string, string][] {
  const { cluster } = index;
  const proxy = cluster.kubeProxy.mode === 'iptables' && !hasDump(node);
  const bridge = cni.portmap?.bridge ?? null;
  return [
    ...(proxy ? Object.entries(kubeProxySysctls(cluster, node)) : []),
    ...(cluster.kubeProxy.mode === 'ipvs' ? Object.entries(kubeProxyIpvsSysctls(cluster)) : []),
    ...(bridge !== null && pods.some(hasHostPorts) ? [[`net.ipv4.conf.${bridge}.route_localnet`, '1'] as [string, string]] : []),
  ];
}
