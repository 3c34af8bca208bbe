import { controllersOf } from '../../kubernetes/ingress/controllers.ts';
import { ingressesOf } from '../../kubernetes/ingress/classes.ts';
import { fullName, withPort } from './words.ts';
import type { Cluster, Service } from '../../kubernetes/model/cluster.ts';
import type { Ingress, IngressBackend } from '../../kubernetes/model/ingress.ts';
import type { RegistrationEntrance } from '../../trace/explanation.ts';

/** The ways to a service from outside, with who gave out each. */
export function entrancesTo(cluster: Cluster, service: Service): readonly RegistrationEntrance[] {
  return [
    ...ingressEntrances(cluster, service),
    ...balancerEntrances(cluster, service),
    ...externalIps(service),
    ...nodePorts(service),
  ];
}

function nodePorts({ type, ports, externalTrafficPolicy, healthCheckNodePort }: Service): readonly RegistrationEntrance[] {
  if (type !== 'NodePort' && type !== 'LoadBalancer') return [];
  const policy = externalTrafficPolicy === 'Local' ? ', endpoints of that node only (Local)' : '';
  const open = ports
    .filter(({ nodePort }) => nodePort !== 0)
    .map(
      ({ nodePort, protocol, port }): RegistrationEntrance => ({
        kind: 'node-port',
        at: `any node:${nodePort}/${protocol}`,
        by: 'API server',
        sentence: `leads to port ${port}${policy}; kube-proxy opens it by rules`,
      }),
    );
  if (healthCheckNodePort === 0 || type !== 'LoadBalancer' || externalTrafficPolicy !== 'Local') return open;
  const at = `any node:${healthCheckNodePort}/tcp`;
  const sentence = 'kube-proxy answers here whether the node has endpoints';
  return [...open, { kind: 'health-check', at, by: 'API server', sentence }];
}

function externalIps({ externalIps: addresses, ports }: Service): readonly RegistrationEntrance[] {
  return addresses.flatMap((address) =>
    ports.map(
      ({ port, protocol }): RegistrationEntrance => ({
        kind: 'external-ip',
        at: `${withPort(address, port)}/${protocol}`,
        by: 'administrator',
        sentence: 'spec.externalIPs; routing packets to a node is left to the network',
      }),
    ),
  );
}

function balancerEntrances({ loadBalancer }: Cluster, service: Service): readonly RegistrationEntrance[] {
  const { type, loadBalancerIngress, loadBalancerClass, ports } = service;
  if (type !== 'LoadBalancer') return [];
  const by = loadBalancerClass === null ? 'cloud controller' : `controller of ${loadBalancerClass}`;
  if (loadBalancerIngress.length === 0) {
    const why = loadBalancer === null ? 'no cloud is there to give it an address' : 'no address is given yet';
    return [{ kind: 'load-balancer', at: 'pending', by, sentence: `status.loadBalancer is empty: ${why}` }];
  }
  return loadBalancerIngress.flatMap(({ ip, hostname, ipMode }) =>
    ports.map(({ port, protocol }): RegistrationEntrance => {
      const at = ip === null ? `${hostname ?? ''}:${port}/${protocol}` : `${withPort(ip, port)}/${protocol}`;
      const how =
        ipMode === 'Proxy'
          ? 'ipMode Proxy: nodes have no rules for it'
          : 'also a rule on every node, so pods don’t go out for it';
      return { kind: 'load-balancer', at, by, sentence: ip === null ? 'a name only: nodes have no rules for it' : how };
    }),
  );
}

function ingressEntrances(cluster: Cluster, service: Service): readonly RegistrationEntrance[] {
  if (cluster.ingresses.length === 0) return [];
  const controllers = controllersOf(cluster).map((controller) => ({
    name: controller.name,
    served: new Set(ingressesOf(cluster, controller)),
  }));
  return cluster.ingresses
    .filter(({ namespace }) => namespace === service.namespace)
    .flatMap((ingress) => {
      const by = controllers.find(({ served }) => served.has(ingress))?.name ?? 'no ingress controller';
      return rulesTo(ingress, service).map(
        ({ at, port }): RegistrationEntrance => ({
          kind: 'ingress',
          at,
          by,
          sentence: `Ingress ${fullName(ingress)} sends it to port ${port}, by ${upstreamOf(cluster)}`,
        }),
      );
    });
}

function upstreamOf({ ingressSettings: { upstream } }: Cluster): string {
  return upstream === 'service' ? 'the cluster IP' : 'the endpoints themselves';
}

/** URLs of an Ingress that lead to the service. */
function rulesTo(ingress: Ingress, { name }: Service): readonly { readonly at: string; readonly port: number | string }[] {
  const portOf = (backend: IngressBackend): number | string | null =>
    backend.kind === 'service' && backend.service === name ? backend.port : null;
  const own = ingress.rules.flatMap(({ host, paths }) =>
    paths.flatMap(({ path, pathType, backend }) => {
      const port = portOf(backend);
      const scheme = ingress.tls.some(({ hosts }) => hosts.length === 0 || hosts.includes(host ?? '')) ? 'https' : 'http';
      return port === null ? [] : [{ at: `${scheme}://${host ?? '*'}${path}${pathType === 'Prefix' ? ' and below' : ''}`, port }];
    }),
  );
  const byDefault = ingress.defaultBackend === null ? null : portOf(ingress.defaultBackend);
  return byDefault === null ? own : [...own, { at: 'what no rule takes', port: byDefault }];
}
