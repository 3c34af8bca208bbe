import { cidrContains, formatCidr } from '../../net/cidr.ts';
import { familyOf, formatIp } from '../../net/ip.ts';
import { namesOfAddress } from '../../kubernetes/dns/service-hosts.ts';
import { serviceMapOf } from '../../kubernetes/services/service-map.ts';
import { sliceIndexOf } from '../../kubernetes/services/endpoints.ts';
import { endpointTexts } from './used-endpoints.ts';
import { fullName, listed, withPort } from './words.ts';
import type { Host } from '../../kernel/host.ts';
import type { World } from '../../kernel/world.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Cluster, Pod, Service } from '../../kubernetes/model/cluster.ts';
import type { ExplainedAddress, ExplainedHolder } from '../../trace/explanation.ts';

/** Hosts with one address that are told: in mode ipvs every node has the addresses of all services. */
const MOST_HOSTS = 4;

/** Whose an address is: services that rules know it by, and hosts with a device that has it. */
export function explainAddress(cluster: Cluster, address: IpAddress, port: number | null, world: World): ExplainedAddress {
  const services = cluster.services.flatMap((service) => serviceHolder(cluster, service, address, port) ?? []);
  const hosts = [...world.holders(address)].flatMap((name) => {
    const host = world.host(name);
    const device = host && deviceWith(host, address);
    return host === undefined || device === undefined ? [] : [{ host, device }];
  });
  const told = hosts.slice(0, MOST_HOSTS).map(({ host, device }) => hostHolder(cluster, host, device, address, port));
  const more = hosts.length - told.length;
  const holders = [...services, ...told];
  return {
    address: port === null ? formatIp(address) : withPort(address, port),
    holders,
    notes: [
      ...(more > 0 ? [`${more} more hosts have it`] : []),
      ...namesOfAddress(cluster, cluster.dnsDomain, address)
        .slice(0, MOST_HOSTS)
        .map((name) => `cluster DNS calls it ${name}`),
      ...rangeNotes(cluster, address, holders.length === 0),
    ],
  };
}

function deviceWith(host: Host, address: IpAddress): string | undefined {
  return [...host.devices.values()].find((device) => device.addresses.some((own) => own.address === address))?.name;
}

function serviceHolder(cluster: Cluster, service: Service, address: IpAddress, port: number | null): ExplainedHolder | null {
  const kind = service.clusterIps.includes(address)
    ? 'cluster IP'
    : service.externalIps.includes(address)
      ? 'external IP'
      : service.loadBalancerIngress.some(({ ip }) => ip === address)
        ? 'balancer’s IP'
        : null;
  if (kind === null) return null;
  const ports = service.ports.map((own) => `${own.port}/${own.protocol}`);
  const where = kind === 'cluster IP' && cluster.kubeProxy.mode !== 'ipvs' ? ', on no device: only rules know it' : '';
  const own = port === null || service.ports.some((each) => each.port === port);
  const which = own ? `ports ${listed(ports)}` : `it has no port ${port}, but ${listed(ports)}`;
  return { kind: 'service', name: `svc/${fullName(service)}`, sentence: `${kind}${where}; ${which}` };
}

function hostHolder(cluster: Cluster, host: Host, device: string, address: IpAddress, port: number | null): ExplainedHolder {
  const at = `on ${device}`;
  if (host.name.startsWith('pod/')) {
    const pod = cluster.pods.find((each) => `pod/${fullName(each)}` === host.name);
    return {
      kind: 'pod',
      name: host.name,
      sentence: [`${at}, on ${pod?.node ?? 'no node'}`, ...(pod ? podPort(cluster, pod, host, port) : [])].join('; '),
    };
  }
  if (host.name.startsWith('node/')) {
    const primary = cluster.nodes.find(({ name }) => `node/${name}` === host.name)?.addresses.includes(address);
    const what = primary ? `the node’s own, ${at}` : at;
    return { kind: 'node', name: host.name, sentence: [what, ...nodePort(cluster, host, address, port)].join('; ') };
  }
  if (host.name === 'underlay') return { kind: 'router', name: host.name, sentence: `the router between the networks, ${at}` };
  const kind = host.name.startsWith('balancer/') ? 'balancer' : 'external host';
  return { kind, name: host.name, sentence: [at, ...socketAt(host, port)].join('; ') };
}

function podPort(cluster: Cluster, pod: Pod, host: Host, port: number | null): readonly string[] {
  if (port === null) return [];
  const texts = pod.addresses.map((address) => withPort(address, port));
  const services = [...sliceIndexOf(cluster)].flatMap(([name, slices]) =>
    slices.some(
      (slice) =>
        (slice.pods?.includes(pod) ?? true) &&
        slice.endpoints.some((endpoint) => endpointTexts(slice, endpoint).some((text) => texts.includes(text))),
    )
      ? [`svc/${name}`]
      : [],
  );
  return [...socketAt(host, port), services.length === 0 ? 'no service leads there' : `an endpoint of ${listed(services)}`];
}

function socketAt({ listeners }: Host, port: number | null): readonly string[] {
  if (port === null) return [];
  const own = listeners.filter((listener) => listener.port === port).map(({ protocol }) => protocol);
  return [own.length === 0 ? `nothing listens on ${port}` : `listens on ${port}/${[...new Set(own)].join(' and ')}`];
}

/** Node ports and host ports are rules, and no sockets. */
function nodePort(cluster: Cluster, host: Host, address: IpAddress, port: number | null): readonly string[] {
  if (port === null) return [];
  const map = serviceMapOf(cluster, familyOf(address));
  const services = map.withNodePort(port).map((index) => map.ports[index]!);
  const node = host.name.slice('node/'.length);
  const pods = cluster.pods.filter((pod) => pod.node === node && pod.ports.some(({ hostPort }) => hostPort === port));
  return [
    ...services.map(({ service, nodePort: own }) =>
      own === port ? `node port of svc/${fullName(service)}` : `health check node port of svc/${fullName(service)}`,
    ),
    ...pods.map((pod) => `host port of pod/${fullName(pod)}`),
    ...(services.length + pods.length > 0 ? [] : socketAt(host, port)),
  ];
}

function rangeNotes(cluster: Cluster, address: IpAddress, isFree: boolean): readonly string[] {
  if (!isFree) return [];
  const service = cluster.serviceCidrs.find((range) => cidrContains(range, address));
  if (service) return [`in the services’ range ${formatCidr(service)}, but no service has it`];
  const node = cluster.nodes.find(({ podCidrs }) => podCidrs.some((range) => cidrContains(range, address)));
  if (node) return [`in the range of the pods of node/${node.name}, but no pod has it`];
  const pods = cluster.podCidrs.find((range) => cidrContains(range, address));
  if (pods) return [`in the pods’ range ${formatCidr(pods)}, but no node has that part of it`];
  if (cidrContains(cluster.underlay.nodeCidr, address))
    return [`in the nodes’ network ${formatCidr(cluster.underlay.nodeCidr)}, but nobody has it`];
  return ['nobody here has it: packets leave by the router'];
}
