import { hash } from 'node:crypto';
import type { Cluster } from '../../model/cluster.ts';
import type { ProxyServicePort } from '../../services/service-port.ts';

/** net.ipv4.ip_local_port_range of a fresh kernel: kube-proxy binds to port 0, and the kernel draws from here (port_allocator.go). */
const FIRST_PORT = 32768;
const PORTS = 28232;

/**
 * The port at which kube-proxy listens for each service port. A real one is drawn at random when the service comes to be and differs from
 * node to node; here it is fixed: sha1 of the service port's name and protocol, the next free one where that is taken.
 */
export function proxyPortsOf(cluster: Cluster, ports: readonly ProxyServicePort[]): ReadonlyMap<ProxyServicePort, number> {
  const taken = portsOfNodes(cluster);
  const out = new Map<ProxyServicePort, number>();
  for (const port of ports) {
    if (taken.size >= PORTS) break;
    let offset = Number.parseInt(hash('sha1', `${port.name} ${port.protocol}`).slice(0, 8), 16) % PORTS;
    while (taken.has(FIRST_PORT + offset)) offset = (offset + 1) % PORTS;
    taken.add(FIRST_PORT + offset);
    out.set(port, FIRST_PORT + offset);
  }
  return out;
}

/** The ports that the rules of a dump lead to, by "NAME PROTOCOL" of the service port. */
export function proxyPortsInDump(text: string): ReadonlyMap<string, number> {
  const rule =
    /^-A KUBE-PORTALS-CONTAINER .*?-p (tcp|udp) .*?--comment "?([^\s"]+)"? .*?(?:--to-ports |--to-destination \S+:)(\d+)$/gm;
  return new Map([...text.matchAll(rule)].map(([, protocol, name, port]) => [`${name} ${protocol}`, Number(port)]));
}

/** Ports of the range that other processes of some node listen on. */
function portsOfNodes({ nodes, pods }: Cluster): Set<number> {
  const sockets = [
    ...pods.filter(({ hostNetwork }) => hostNetwork).flatMap((pod) => [...pod.ports, ...pod.assumedPorts]),
    ...nodes.flatMap(({ assumedPorts = [] }) => assumedPorts),
  ];
  return new Set(sockets.map(({ port }) => port).filter((port) => port >= FIRST_PORT && port < FIRST_PORT + PORTS));
}
