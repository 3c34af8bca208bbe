import type { IpAddress } from '../../net/ip.ts';
import type { Cluster, Pod, Service } from '../model/cluster.ts';
import type { Ingress } from '../model/ingress.ts';
import { portFor } from './controllers.ts';
import type { ControllerPorts, IngressController } from './controllers.ts';
import { hasLabels } from './implementations.ts';

/** A way by which clients from outside get to an ingress controller. */
export interface ControllerEntry {
  readonly kind: 'load-balancer' | 'external-ip' | 'host-port' | 'host-network' | 'node-port';
  readonly addresses: readonly IpAddress[];
  /** Names instead of addresses, of a balancer that has one. */
  readonly hostnames: readonly string[];
  /** Ports on those addresses. */
  readonly ports: ControllerPorts;
  /** "namespace/name" of the service, or of the pod. */
  readonly object: string;
}

/**
 * The ways to a controller, the most usual first: the address of a balancer or an external one, the host ports of its pods' nodes,
 * the nodes' addresses with hostNetwork, node ports. Only those with some port for HTTP or HTTPS.
 */
export function entriesOf(cluster: Cluster, controller: IngressController): readonly ControllerEntry[] {
  const services = servicesOf(cluster, controller);
  const entries: readonly ControllerEntry[] = [
    ...services.flatMap(balancerEntry),
    ...services.flatMap(externalIpEntry),
    ...controller.pods.flatMap((pod) => podEntry(cluster, controller, pod)),
    ...services.flatMap((service) => nodePortEntry(cluster, service)),
  ];
  return entries.filter(({ ports }) => ports.http !== null || ports.https !== null);
}

/** Where an Ingress's own status sends clients: status.loadBalancer.ingress. */
export function statusAddresses({
  loadBalancerIngress,
}: Pick<Ingress, 'loadBalancerIngress'>): Pick<ControllerEntry, 'addresses' | 'hostnames'> {
  return {
    addresses: loadBalancerIngress.flatMap(({ ip }) => (ip === null ? [] : [ip])),
    hostnames: loadBalancerIngress.flatMap(({ hostname }) => (hostname === null ? [] : [hostname])),
  };
}

/** Services that lead to the controller's pods. */
export function servicesOf({ services }: Cluster, { namespace, pods }: IngressController): readonly Service[] {
  return services.filter(({ namespace: own, selector }) => {
    if (own !== namespace || selector === null) return false;
    return pods.some(({ labels }) => hasLabels(labels, selector));
  });
}

function balancerEntry(service: Service): readonly ControllerEntry[] {
  if (service.type !== 'LoadBalancer' || service.loadBalancerIngress.length === 0) return [];
  return [
    {
      kind: 'load-balancer',
      ...statusAddresses(service),
      ports: servicePorts(service, 'port'),
      object: `${service.namespace}/${service.name}`,
    },
  ];
}

function externalIpEntry(service: Service): readonly ControllerEntry[] {
  if (service.externalIps.length === 0) return [];
  const object = `${service.namespace}/${service.name}`;
  return [{ kind: 'external-ip', addresses: service.externalIps, hostnames: [], ports: servicePorts(service, 'port'), object }];
}

function nodePortEntry(cluster: Cluster, service: Service): readonly ControllerEntry[] {
  if (service.type !== 'NodePort' && service.type !== 'LoadBalancer') return [];
  return [
    {
      kind: 'node-port',
      addresses: cluster.nodes.flatMap(({ addresses }) => addresses),
      hostnames: [],
      ports: servicePorts(service, 'nodePort'),
      object: `${service.namespace}/${service.name}`,
    },
  ];
}

function servicePorts({ ports }: Service, which: 'port' | 'nodePort'): ControllerPorts {
  const numberOf = (scheme: 'http' | 'https'): number | null => {
    const number = portFor(
      ports.filter(({ protocol }) => protocol === 'tcp'),
      scheme,
    )?.[which];
    return number === undefined || number === 0 ? null : number;
  };
  return { http: numberOf('http'), https: numberOf('https') };
}

function podEntry(cluster: Cluster, { ports }: IngressController, pod: Pod): readonly ControllerEntry[] {
  const node = cluster.nodes.find(({ name }) => name === pod.node);
  const addresses = node?.addresses ?? [];
  const object = `${pod.namespace}/${pod.name}`;
  if (pod.hostNetwork) return [{ kind: 'host-network', addresses, hostnames: [], ports, object }];
  const hostPort = (port: number | null): number | null =>
    pod.ports.find((own) => own.protocol === 'tcp' && own.port === port)?.hostPort ?? null;
  const mapped = { http: hostPort(ports.http), https: hostPort(ports.https) };
  return [{ kind: 'host-port', addresses, hostnames: [], ports: mapped, object }];
}
