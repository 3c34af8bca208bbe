import { familyOf } from '../../net/ip.ts';
import { serviceMapOf } from './service-map.ts';
import type { HostState } from '../../kernel/state.ts';
import type { ConntrackEntry } from '../../kernel/netfilter/conntrack/entry.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Cluster } from '../model/cluster.ts';
import type { ProxyEndpoint } from './endpoints.ts';
import type { ProxyServicePort } from './service-port.ts';

/** From this release on kube-proxy compares conntrack's table with what services want (k/k#127318); before it reacted to changes. */
const RECONCILES_SINCE = 32;

/**
 * What kube-proxy deletes of a node's conntrack table when services or endpoints have changed: UDP entries that would lead datagrams
 * of a client, which keeps its port, to where the service is no more (pkg/proxy/conntrack). TCP entries are left alone.
 */
export function deleteStaleEntries(state: HostState, before: Cluster, after: Cluster): void {
  const isStale = reconciles(after) ? unwanted(after) : outdated(before, after);
  for (const entry of state.conntrack.entries()) {
    if (entry.original.protocol === 'udp' && isStale(entry)) state.conntrack.delete(entry);
  }
}

function reconciles({ kubernetesVersion: { major, minor } }: Cluster): boolean {
  return major > 1 || minor >= RECONCILES_SINCE;
}

/** 1.32 on: entries of a service that don't lead to a serving endpoint of it. A service without any is passed over (k/k#139629). */
function unwanted(cluster: Cluster): (entry: ConntrackEntry) => boolean {
  const byAddress = new Map<string, ReadonlySet<IpAddress>>();
  const byNodePort = new Map<string, ReadonlySet<IpAddress>>();
  for (const { port, endpoints } of udpPorts(cluster)) {
    const serving = new Set(endpoints.flatMap((endpoint) => (endpoint.serving ? [endpoint.address] : [])));
    if (serving.size === 0) continue;
    for (const address of addressesOf(port)) byAddress.set(`${address} ${port.port}`, serving);
    if (port.nodePort !== 0) byNodePort.set(`${port.family} ${port.nodePort}`, serving);
  }
  return ({ original, reply }) => {
    const serving = [
      byAddress.get(`${original.dst} ${original.dport}`),
      byNodePort.get(`${familyOf(original.dst)} ${original.dport}`),
    ];
    return serving.some((addresses) => addresses !== undefined && !addresses.has(reply.src));
  };
}

/**
 * Before 1.32: entries to an endpoint that was ready and is not any more, of a service that is still there; all of a cluster IP whose
 * service is gone; all of a service that had no ready endpoint and has one now.
 */
function outdated(before: Cluster, after: Cluster): (entry: ConntrackEntry) => boolean {
  const old = readyEndpoints(before);
  const now = readyEndpoints(after);
  const addresses = new Set<IpAddress>();
  const nodePorts = new Set<string>();
  const toEndpoint = new Set<string>();
  const byNodePortToEndpoint = new Set<string>();
  for (const [name, { port, ready }] of old) {
    const current = now.get(name);
    if (current === undefined) {
      addresses.add(port.clusterIp);
      continue;
    }
    for (const [text, { address }] of ready) {
      if (current.ready.has(text)) continue;
      for (const service of addressesOf(current.port)) toEndpoint.add(`${service} ${address}`);
      if (current.port.nodePort !== 0) byNodePortToEndpoint.add(`${current.port.nodePort} ${address}`);
    }
  }
  for (const [name, { port, ready }] of now) {
    if (ready.size === 0 || (old.get(name)?.ready.size ?? 0) > 0) continue;
    for (const address of addressesOf(port)) addresses.add(address);
    if (port.nodePort !== 0) nodePorts.add(`${port.family} ${port.nodePort}`);
  }
  return ({ original, reply, dnat }) =>
    addresses.has(original.dst) ||
    nodePorts.has(`${familyOf(original.dst)} ${original.dport}`) ||
    (dnat && (toEndpoint.has(`${original.dst} ${reply.src}`) || byNodePortToEndpoint.has(`${original.dport} ${reply.src}`)));
}

interface ReadyEndpoints {
  readonly port: ProxyServicePort;
  /** By "ip:port". */
  readonly ready: ReadonlyMap<string, ProxyEndpoint>;
}

/** UDP service ports by family and name. */
function readyEndpoints(cluster: Cluster): ReadonlyMap<string, ReadyEndpoints> {
  const out = new Map<string, ReadyEndpoints>();
  for (const { port, endpoints } of udpPorts(cluster)) {
    const ready = endpoints.filter((endpoint) => endpoint.ready);
    out.set(`${port.family} ${port.name}`, { port, ready: new Map(ready.map((endpoint) => [endpoint.text, endpoint])) });
  }
  return out;
}

/** The UDP service ports of both families with their endpoints. */
function udpPorts(
  cluster: Cluster,
): readonly { readonly port: ProxyServicePort; readonly endpoints: readonly ProxyEndpoint[] }[] {
  return ([4, 6] as const).flatMap((family) => {
    const { ports, endpoints } = serviceMapOf(cluster, family);
    return ports.flatMap((port, i) => (port.protocol === 'udp' ? [{ port, endpoints: endpoints(i) }] : []));
  });
}

function addressesOf({ clusterIp, externalIps, loadBalancerIps }: ProxyServicePort): readonly IpAddress[] {
  return [clusterIp, ...externalIps, ...loadBalancerIps];
}
