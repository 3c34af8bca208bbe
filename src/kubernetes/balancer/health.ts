import { familyOf } from '../../net/ip.ts';
import { balancersOf } from './balancers.ts';
import { interfaceAddressesOf, nodePortAddressesOf } from '../services/node-port-addresses.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Listener } from '../../kernel/socket/listener.ts';
import type { Cluster, Node, Service } from '../model/cluster.ts';

/** Where kube-proxy tells whether it is well itself (--healthz-bind-address). */
const HEALTHZ_PORT = 10256;

/** What a balancer asks a node over HTTP: with policy Local the service's own health check port, else whether kube-proxy is well. */
export function healthCheckPort({ externalTrafficPolicy, healthCheckNodePort }: Service): number {
  return externalTrafficPolicy === 'Local' && healthCheckNodePort !== 0 ? healthCheckNodePort : HEALTHZ_PORT;
}

export interface HealthAnswer {
  readonly status: 200 | 503;
  /** "no local endpoints" */
  readonly text: string;
}

/**
 * What kube-proxy of a node answers to the health check of a service: 503 if the service has policy Local and no ready endpoint there
 * (pkg/proxy/healthcheck service_health.go; LocalReadyEndpoints). A terminating endpoint is not ready, so that a draining node gets no
 * new connections.
 */
export function healthAnswer(cluster: Cluster, service: Service, node: Node): HealthAnswer {
  if (healthCheckPort(service) === HEALTHZ_PORT) return { status: 200, text: 'kube-proxy is well' };
  const ready = new Set(
    cluster.endpointSlices
      .filter((slice) => slice.namespace === service.namespace && slice.service === service.name)
      .flatMap(({ endpoints }) => endpoints)
      .filter(({ ready: isReady, nodeName }) => isReady && nodeName === node.name)
      .map(({ addresses }) => addresses[0]),
  );
  if (ready.size === 0) return { status: 503, text: 'no local endpoints' };
  return { status: 200, text: ready.size === 1 ? '1 local endpoint' : `${ready.size} local endpoints` };
}

/**
 * kube-proxy's sockets on a node that health checks ask. The health check node ports are opened where node ports are; mode userspace has
 * none.
 */
export function healthListeners(cluster: Cluster, node: Node): readonly Listener[] {
  const { mode } = cluster.kubeProxy;
  if (mode === 'none') return [];
  const listener = (address: IpAddress | null, port: number, object: string | null): Listener => ({
    protocol: 'tcp',
    address,
    port,
    owner: `node/${node.name}`,
    process: 'kube-proxy',
    origin: { object, by: 'kube-proxy', role: 'health-check' },
  });
  const healthz = balancersOf(cluster).length > 0 ? [listener(null, HEALTHZ_PORT, null)] : [];
  if (mode === 'userspace') return healthz;
  const services = cluster.services.filter((service) => healthCheckPort(service) !== HEALTHZ_PORT);
  if (services.length === 0) return healthz;
  const addresses = listeningAddresses(cluster, node);
  return [
    ...healthz,
    ...services.flatMap((service) => {
      const object = `Service ${service.namespace}/${service.name}`;
      return addresses.map((address) => listener(address, service.healthCheckNodePort, object));
    }),
  ];
}

/** The wildcard address unless node ports are restricted to some of the node's. */
function listeningAddresses(cluster: Cluster, node: Node): readonly (IpAddress | null)[] {
  const families = [...new Set(node.addresses.map(familyOf))];
  const restricted = families.map((family) => ({ family, where: nodePortAddressesOf(cluster, node, family) }));
  if (restricted.every(({ where }) => where.matchesAll)) return [null];
  return restricted.flatMap(({ family, where }) => where.among(interfaceAddressesOf(node, family)));
}
