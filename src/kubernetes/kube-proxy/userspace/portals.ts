import { familyOf } from '../../../net/ip.ts';
import { proxyFamilies } from '../../services/proxy-families.ts';
import { serviceMapOf } from '../../services/service-map.ts';
import { proxyPortsInDump, proxyPortsOf } from './proxy-ports.ts';
import type { IpAddress, IpFamily } from '../../../net/ip.ts';
import type { TransportProtocol } from '../../../net/protocol.ts';
import type { Cluster, Node } from '../../model/cluster.ts';
import type { ProxyEndpoint } from '../../services/endpoints.ts';
import type { ProxyServicePort } from '../../services/service-port.ts';

/** An address and port at which a service is reached, and what it is. */
export interface Portal {
  readonly role: 'cluster-ip' | 'external-ip' | 'load-balancer-ip';
  readonly address: IpAddress;
}

/** A service port with the socket that kube-proxy has for it (pkg/proxy/userspace ServiceInfo). */
export interface ProxiedPort {
  readonly port: ProxyServicePort;
  readonly protocol: Extract<TransportProtocol, 'tcp' | 'udp'>;
  /** Where kube-proxy listens for it. */
  readonly proxyPort: number;
  /** In the order in which they are opened. */
  readonly portals: readonly Portal[];
  /** 0: none, or it was not opened. */
  readonly nodePort: number;
  /** Ready endpoints, each once, sorted: kube-proxy shuffles them, so their order is one of many. */
  endpoints(): readonly ProxyEndpoint[];
}

/** The one family for which kube-proxy in userspace mode works on a node: it knows no dual stack (NewProxier takes one iptables). */
export function userspaceFamily(cluster: Cluster, node: Node): IpFamily {
  return proxyFamilies(cluster, node)[0] ?? 4;
}

const proxied = new WeakMap<Cluster, Map<IpFamily, readonly ProxiedPort[]>>();

/**
 * The service ports that are proxied on a node, sorted by namespace and name (kube-proxy goes through a map, in any order), those of a
 * service as its spec has them. SCTP is not: newProxySocket knows TCP and UDP only. Neither is a service whose first cluster IP is of the
 * other family. A dump of the node says which ports kube-proxy really listens on.
 */
export function proxiedPortsOf(cluster: Cluster, node: Node): readonly ProxiedPort[] {
  const ports = portsOfFamily(cluster, userspaceFamily(cluster, node));
  if (node.iptablesSave === null) return ports;
  const inDump = proxyPortsInDump(node.iptablesSave.text);
  return ports.map((each) => ({ ...each, proxyPort: inDump.get(`${each.port.name} ${each.protocol}`) ?? each.proxyPort }));
}

function portsOfFamily(cluster: Cluster, family: IpFamily): readonly ProxiedPort[] {
  const families = proxied.get(cluster) ?? new Map<IpFamily, readonly ProxiedPort[]>();
  proxied.set(cluster, families);
  const made = families.get(family) ?? makeProxiedPorts(cluster, family);
  families.set(family, made);
  return made;
}

function makeProxiedPorts(cluster: Cluster, family: IpFamily): readonly ProxiedPort[] {
  const services = serviceMapOf(cluster, family);
  const proxyPorts = proxyPortsOf(
    cluster,
    services.ports.filter(({ protocol }) => protocol !== 'sctp'),
  );
  const out: ProxiedPort[] = [];
  services.ports.forEach((port, index) => {
    const { service, protocol } = port;
    const proxyPort = proxyPorts.get(port);
    if (protocol === 'sctp' || proxyPort === undefined || familyOf(service.clusterIps[0]!) !== family) return;
    const { portals, complete } = portalsOf(port);
    out.push({
      port,
      protocol,
      proxyPort,
      portals,
      nodePort: complete ? port.nodePort : 0,
      endpoints: () => readyOnes(services.endpoints(index)),
    });
  });
  return inOrderOfSpecs(out);
}

/** openPortal gives up at the first address that iptables refuses, one of the other family; ipMode was not known yet. */
function portalsOf({ service, family }: ProxyServicePort): { readonly portals: readonly Portal[]; readonly complete: boolean } {
  const all: readonly Portal[] = [
    { role: 'cluster-ip', address: service.clusterIps[0]! },
    ...service.externalIps.map((address): Portal => ({ role: 'external-ip', address })),
    ...service.loadBalancerIngress.flatMap(({ ip }): Portal[] =>
      ip === null ? [] : [{ role: 'load-balancer-ip', address: ip }],
    ),
  ];
  const refused = all.findIndex(({ address }) => familyOf(address) !== family);
  return { portals: refused < 0 ? all : all.slice(0, refused), complete: refused < 0 };
}

/** It reads Endpoints, of them the ready addresses only (BuildPortsToEndpointsMap): no policy, no hint, no terminating endpoint counts. */
function readyOnes(endpoints: readonly ProxyEndpoint[]): readonly ProxyEndpoint[] {
  const ready = endpoints.filter((endpoint) => endpoint.ready);
  return ready.filter((endpoint, i) => endpoint.text !== ready[i - 1]?.text);
}

/** They come sorted by port number; services stay where they are. */
function inOrderOfSpecs(ports: readonly ProxiedPort[]): readonly ProxiedPort[] {
  const place = ({ port: { service, portName, protocol, port } }: ProxiedPort): number =>
    service.ports.findIndex((p) => p.name === portName && p.protocol === protocol && p.port === port);
  const out: ProxiedPort[] = [];
  for (let start = 0; start < ports.length; ) {
    const { service } = ports[start]!.port;
    let end = start;
    while (ports[end]?.port.service === service) end++;
    const own = ports.slice(start, end);
    out.push(...(own.length > 1 ? own.sort((a, b) => place(a) - place(b)) : own));
    start = end;
  }
  return out;
}
