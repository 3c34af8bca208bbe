import { formatEndpoint } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Service } from '../../kubernetes/model/cluster.ts';

/** "shop/web" */
export function fullName({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

/** "10.0.0.1:80", "[fd00::1]:80" */
export function withPort(address: IpAddress | string, port: number): string {
  if (typeof address !== 'string') return formatEndpoint(address, port);
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** "app=web, tier=front" */
export function labelsText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
}

/** "a", "a and b", "a, b and c"; of more than `most` the first and how many there are beside them. */
export function listed(names: readonly string[], most = 4): string {
  if (names.length > most) return `${names.slice(0, most - 1).join(', ')} and ${names.length - most + 1} more`;
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** Is an address and port one of a service's: cluster IP, external IP or balancer's IP with a port, or any address with a node port? */
export function isPlaceOf(service: Service, protocol: string, address: IpAddress, port: number): boolean {
  const { clusterIps, externalIps, loadBalancerIngress, ports } = service;
  const isOwn = [...clusterIps, ...externalIps, ...loadBalancerIngress.map(({ ip }) => ip)].includes(address);
  return ports.some(
    (own) => own.protocol === protocol && (isOwn ? own.port === port : own.nodePort !== 0 && own.nodePort === port),
  );
}

/** What stands for a chain in mode userspace: a socket of kube-proxy itself. */
export function proxyProcessName(protocol: string, port: number | string): string {
  return `process kube-proxy, ${protocol} ${port}`;
}
