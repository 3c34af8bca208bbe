import { answerQuery } from '../../kubernetes/dns/answer-query.ts';
import { recordText } from '../../kubernetes/dns/record-text.ts';
import { fullName, withPort } from './words.ts';
import type { DnsAnswer, DnsMiss, DnsType } from '../../kubernetes/dns/records.ts';
import type { Cluster, EndpointSlice, Service } from '../../kubernetes/model/cluster.ts';
import type { RegistrationMapping } from '../../trace/explanation.ts';
import type { NodeGroup } from './node-groups.ts';

/** Answers for more ports are left out: they are like the first ones. */
const MOST_NAMED_PORTS = 8;

/**
 * What a client goes through: the name to an address (cluster DNS), and the address to an endpoint (kube-proxy on the client's node). A
 * headless or ExternalName service has the first only.
 */
export function mappingsOf(
  cluster: Cluster,
  service: Service,
  slices: readonly EndpointSlice[],
  groups: readonly NodeGroup[],
): readonly RegistrationMapping[] {
  // For a selector that takes no pod the controller keeps a slice without endpoints, so that watchers see it has looked.
  const none = service.selector === null ? 'no EndpointSlice' : 'an empty EndpointSlice';
  const sliceObject = slices.length === 0 ? none : `EndpointSlice ${slices.map((slice) => fullName(slice)).join(', ')}`;
  return [
    ...names(cluster, service, sliceObject),
    ...portNames(cluster, service, sliceObject),
    ...addresses(groups, sliceObject),
  ];
}

/** The service's name in full, as DNS has it. */
export function dnsName(cluster: Cluster, service: Service): string {
  return `${service.name}.${service.namespace}.svc.${cluster.dnsDomain}`;
}

function names(cluster: Cluster, service: Service, sliceObject: string): readonly RegistrationMapping[] {
  const object = service.headless ? sliceObject : `Service ${fullName(service)}`;
  const types: readonly DnsType[] =
    service.type === 'ExternalName' ? ['CNAME'] : service.ipFamilies.map((family) => (family === 4 ? 'A' : 'AAAA'));
  const own = types.map((type) => lookup(cluster, 'name', dnsName(cluster, service), type, object));
  if (!service.headless) return own;
  // Endpoints with a host name have a name of their own below the service's.
  const hosts = new Set(
    cluster.endpointSlices
      .filter(({ namespace, service: name }) => namespace === service.namespace && name === service.name)
      .flatMap(({ endpoints }) =>
        endpoints.flatMap(({ hostname, ready }) => (hostname === undefined || !ready ? [] : [hostname])),
      ),
  );
  return [
    ...own,
    ...[...hosts]
      .slice(0, MOST_NAMED_PORTS)
      .flatMap((host) => types.map((type) => lookup(cluster, 'name', `${host}.${dnsName(cluster, service)}`, type, object))),
  ];
}

function portNames(cluster: Cluster, service: Service, sliceObject: string): readonly RegistrationMapping[] {
  if (service.type === 'ExternalName') return [];
  const object = service.headless ? sliceObject : `Service ${fullName(service)}`;
  return service.ports
    .filter(({ name }) => name !== '')
    .slice(0, MOST_NAMED_PORTS)
    .map(({ name, protocol }) =>
      lookup(cluster, 'port-name', `_${name}._${protocol}.${dnsName(cluster, service)}`, 'SRV', object),
    );
}

function lookup(
  cluster: Cluster,
  kind: RegistrationMapping['kind'],
  name: string,
  type: DnsType,
  object: string,
): RegistrationMapping {
  const answer = answerQuery(cluster, name, type);
  const to = answer.answers.map(recordText);
  return { kind, from: name, record: type, to, by: 'cluster DNS', object, why: to.length > 0 ? null : whyNone(answer) };
}

const MISSES: Readonly<Partial<Record<DnsMiss, string>>> = {
  'no-ready-endpoint': 'no endpoint is ready',
  'no-such-port': 'no ready endpoint has such a port',
  'no-such-type': 'nothing of this kind',
  'alias-unresolved': 'externalName is an address, which is no name that a CNAME may point at',
};

function whyNone({ miss, rcode }: DnsAnswer): string {
  return (miss === null ? undefined : MISSES[miss]) ?? rcode;
}

/** Cluster IP and port to all endpoints that some node uses for it. */
function addresses(groups: readonly NodeGroup[], object: string): readonly RegistrationMapping[] {
  const ports = groups[0]?.choices.map(({ port }) => port) ?? [];
  return ports.map((port, i) => {
    const endpoints = groups.flatMap(({ choices }) => choices[i]?.selection.reachable.map(({ text }) => text) ?? []);
    const to = [...new Set(endpoints)];
    const from = `${withPort(port.clusterIp, port.port)}/${port.protocol}`;
    const why = to.length > 0 ? null : 'no endpoint: refused';
    return { kind: 'cluster-ip', from, record: null, to, by: 'kube-proxy', object, why };
  });
}
