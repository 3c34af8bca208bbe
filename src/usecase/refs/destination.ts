import type { IpAddress } from '../../net/ip.ts';
import type { Cluster, Pod } from '../../kubernetes/model/cluster.ts';
import { findExternal, findNode, findPod, findService, findWorkloadPod, formatEndpoint, holderOf } from './lookup.ts';
import { parseRef } from './parse.ts';
import { choosePort } from './port.ts';
import { found, refused } from './ref.ts';
import { resolveService, serviceOfAddress } from './service.ts';
import { pickAddress } from './target.ts';
import { findServiceNamed } from '../../kubernetes/services/find-service.ts';
import type { OfferedPort } from './port.ts';
import type { RefKind, Ref, Result } from './ref.ts';
import type { Destination, DestinationOptions } from './target.ts';

/** Resolves `to` into an address, port and protocol. A name is looked up before (see journey/named.ts): here it is refused, with what it may mean. */
export function resolveDestination(cluster: Cluster, text: string, options: DestinationOptions): Result<Destination> {
  const parsed = parseRef(text);
  if (!parsed.ok) return parsed;
  const ref = parsed.value;
  switch (ref.form) {
    case 'url':
      return refused(`"${text}": a URL leads nowhere here; name the service or address: svc/NAME:PORT or IP:PORT`);
    case 'dns':
      return refused(dnsMessage(cluster, ref.name, ref.port, options.namespace));
    case 'address':
      return destinationOfAddress(cluster, ref.address, ref.port, options);
    case 'object':
      return destinationOfObject(cluster, ref, options);
  }
}

function destinationOfAddress(
  cluster: Cluster,
  address: IpAddress,
  port: number | null,
  options: DestinationOptions,
): Result<Destination> {
  const holder = holderOf(cluster, address);
  const pod = holder?.kind === 'pod' ? holder.pod : null;
  if (options.protocol === 'icmp') return found(ping(formatEndpoint(address, null), address, pod));
  const service = serviceOfAddress(cluster, address);
  if (port === null && service) return resolveService(service, address, null, options);
  if (port === null) return refused(`"${formatEndpoint(address, null)}" needs a port: ${formatEndpoint(address, 80)}`);
  const offered = service?.ports.filter((p) => p.port === port) ?? [];
  const protocol = options.protocol ?? (offered.length === 1 ? offered[0]!.protocol : 'tcp');
  return found({ label: formatEndpoint(address, port), address, port, protocol, pod, assumptions: [] });
}

function destinationOfObject(
  cluster: Cluster,
  ref: Extract<Ref, { form: 'object' }>,
  options: DestinationOptions,
): Result<Destination> {
  const namespace = ref.namespace ?? options.namespace;
  switch (ref.kind) {
    case 'svc': {
      const service = findService(cluster, namespace, ref.name);
      return service.ok ? resolveService(service.value, null, ref.port, options) : service;
    }
    case 'pod': {
      const pod = findPod(cluster, namespace, ref.name);
      return pod.ok ? destinationOfPod(pod.value, ref.port, options, []) : pod;
    }
    case 'node': {
      const node = findNode(cluster, ref.name);
      if (!node.ok) return node;
      return destinationOfHost(`node/${ref.name}`, node.value.addresses, [], ref.port, options, null, []);
    }
    case 'external': {
      const external = findExternal(cluster, ref.name);
      if (!external.ok) return external;
      const offered = external.value.ports.map((p) => ({ name: '', port: p.port, protocol: p.protocol }));
      return destinationOfHost(`external/${ref.name}`, external.value.addresses, offered, ref.port, options, null, []);
    }
    case 'deploy':
    case 'sts':
    case 'ds':
    case 'rs':
      return destinationOfWorkload(cluster, ref.kind, namespace, ref.name, ref.port, options);
  }
}

function destinationOfWorkload(
  cluster: Cluster,
  kind: RefKind,
  namespace: string,
  name: string,
  port: string | null,
  options: DestinationOptions,
): Result<Destination> {
  const picked = findWorkloadPod(cluster, kind, namespace, name);
  if (!picked.ok) return picked;
  const { pod, of } = picked.value;
  const note = `${kind}/${name}: pod/${pod.namespace}/${pod.name} was taken, the first of ${of}`;
  return destinationOfPod(pod, port, options, of > 1 ? [note] : []);
}

function destinationOfPod(
  pod: Pod,
  port: string | null,
  options: DestinationOptions,
  assumptions: readonly string[],
): Result<Destination> {
  const declared: readonly OfferedPort[] = pod.ports;
  const offered =
    declared.length > 0 ? declared : pod.assumedPorts.map((p) => ({ name: '', port: p.port, protocol: p.protocol }));
  return destinationOfHost(`pod/${pod.namespace}/${pod.name}`, pod.addresses, offered, port, options, pod, assumptions);
}

function destinationOfHost(
  label: string,
  addresses: readonly IpAddress[],
  offered: readonly OfferedPort[],
  portText: string | null,
  options: DestinationOptions,
  pod: Pod | null,
  assumptions: readonly string[],
): Result<Destination> {
  const address = pickAddress(addresses, options.families);
  if (address === null) return refused(`${label} has no address`);
  if (options.protocol === 'icmp') return found({ ...ping(label, address, pod), assumptions });
  const chosen = choosePort(label, offered, portText, options.protocol);
  if (!chosen.ok) return chosen;
  const { port, protocol, assumption } = chosen.value;
  const notes = assumption === null ? assumptions : [...assumptions, assumption];
  return found({ label: `${label}:${port}`, address, port, protocol, pod, assumptions: notes });
}

function ping(label: string, address: IpAddress, pod: Pod | null): Destination {
  return { label, address, port: 0, protocol: 'icmp', pod, assumptions: [] };
}

/** Where a name can only mean one object, the way to name that object is told. */
function dnsMessage(cluster: Cluster, name: string, port: string | null, namespace: string): string {
  const [first, second] = name.split('.');
  const behind = port === null ? '' : `:${port}`;
  const service = findServiceNamed(cluster, second ?? namespace, first ?? '');
  if (service) return `"${name}": a name leads nowhere here; did you mean svc/${service.namespace}/${service.name}${behind}?`;
  const pod = cluster.pods.find((p) => p.name === name && p.namespace === namespace) ?? cluster.pods.find((p) => p.name === name);
  if (pod) return `"${name}" has no kind; did you mean pod/${pod.namespace}/${pod.name}${behind}?`;
  if (cluster.nodes.some((n) => n.name === name)) return `"${name}" has no kind; did you mean node/${name}${behind}?`;
  if (cluster.externals.some((e) => e.name === name)) return `"${name}" has no kind; did you mean external/${name}${behind}?`;
  return `"${name}": a name leads nowhere here; name a service (svc/NAME:PORT), a pod (pod/NAME:PORT) or an address (IP:PORT)`;
}
