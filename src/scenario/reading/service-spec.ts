import type { IpAddress } from '../../net/ip.ts';
import type { LoadBalancerIngressDraft, ServiceDraft, ServicePortDraft } from '../drafts.ts';
import type { Mapping } from '../source/container.ts';
import { valueAt } from '../source/container.ts';
import { parseCidrSloppy, parseIpSloppy } from './addresses.ts';
import { MAX_PORT, SERVICE_TYPES, TRAFFIC_POLICIES, readPort, readTransport } from './common.ts';
import type { Reader } from './reader.ts';

/** The keys of a ServiceSpec; some decide nothing here. */
export const SERVICE_SPEC_KEYS: readonly string[] = [
  'type',
  'clusterIP',
  'clusterIPs',
  'ipFamilies',
  'ipFamilyPolicy',
  'ports',
  'selector',
  'externalIPs',
  'externalName',
  'loadBalancerIP',
  'loadBalancerClass',
  'loadBalancerSourceRanges',
  'allocateLoadBalancerNodePorts',
  'externalTrafficPolicy',
  'internalTrafficPolicy',
  'sessionAffinity',
  'sessionAffinityConfig',
  'healthCheckNodePort',
  'publishNotReadyAddresses',
  'trafficDistribution',
];

/** How malformed addresses of lists are met: told, or passed over as kube-proxy does. */
export type Strictness = 'strict' | 'lenient';

/** The fields of a ServiceSpec (core/v1), of an object or of a short-form entry. */
export function readServiceSpec(
  reader: Reader,
  spec: Mapping,
  strictness: Strictness,
): Omit<ServiceDraft, 'namespace' | 'name' | 'position'> {
  const clusterIps = readClusterIps(reader, spec);
  const affinity = reader.oneOf(spec, 'sessionAffinity', ['None', 'ClientIP']);
  return {
    type: reader.oneOf(spec, 'type', SERVICE_TYPES),
    headless: clusterIps === 'None' ? true : clusterIps === undefined ? undefined : false,
    clusterIps: clusterIps === 'None' ? undefined : clusterIps,
    ipFamilies: readIpFamilies(reader, spec),
    ipFamilyPolicy: reader.oneOf(spec, 'ipFamilyPolicy', ['SingleStack', 'PreferDualStack', 'RequireDualStack']),
    ports: reader.mappings(spec, 'ports', (item) => readServicePort(reader, item, strictness)),
    selector: reader.textMap(spec, 'selector'),
    externalIps: readAll(reader, spec, 'externalIPs', 'an IP address', strictness, (text) => parseIpSloppy(text)),
    loadBalancerSourceRanges: readAll(
      reader,
      spec,
      'loadBalancerSourceRanges',
      'a range such as 203.0.113.0/24',
      strictness,
      (text) => parseCidrSloppy(text.trim()),
    ),
    loadBalancerClass: reader.string(spec, 'loadBalancerClass'),
    loadBalancerIp: readLoadBalancerIp(reader, spec, strictness),
    allocateLoadBalancerNodePorts: reader.boolean(spec, 'allocateLoadBalancerNodePorts'),
    externalTrafficPolicy: reader.oneOf(spec, 'externalTrafficPolicy', TRAFFIC_POLICIES),
    internalTrafficPolicy: reader.oneOf(spec, 'internalTrafficPolicy', TRAFFIC_POLICIES),
    sessionAffinity: affinity,
    affinitySeconds: affinity === 'ClientIP' ? readAffinitySeconds(reader, spec) : undefined,
    healthCheckNodePort: reader.integer(spec, 'healthCheckNodePort', 0, MAX_PORT),
    publishNotReadyAddresses: reader.boolean(spec, 'publishNotReadyAddresses'),
    trafficDistribution: reader.string(spec, 'trafficDistribution'),
    externalName: reader.string(spec, 'externalName'),
  };
}

/** spec.loadBalancerIP, deprecated; a malformed one is passed over in objects. */
function readLoadBalancerIp(reader: Reader, spec: Mapping, strictness: Strictness): IpAddress | undefined {
  const text = reader.string(spec, 'loadBalancerIP');
  if (text === undefined || text === '') return undefined;
  const ip = parseIpSloppy(text);
  return ip === null && strictness === 'strict' ? reader.wrong(spec, 'loadBalancerIP', 'an IP address') : (ip ?? undefined);
}

/** status.loadBalancer.ingress of a Service. */
export function readLoadBalancerIngress(
  reader: Reader,
  status: Mapping,
  strictness: Strictness,
): readonly LoadBalancerIngressDraft[] | undefined {
  const loadBalancer = reader.mapping(status, 'loadBalancer');
  if (loadBalancer === undefined) return undefined;
  return reader.mappings(loadBalancer, 'ingress', (item) => {
    const text = reader.string(item, 'ip');
    const ip = text === undefined || text === '' ? null : parseIpSloppy(text);
    if (ip === null && text !== undefined && strictness === 'strict') return reader.wrong(item, 'ip', 'an IP address');
    const ipMode = reader.oneOf(item, 'ipMode', ['VIP', 'Proxy']) ?? 'VIP';
    return { ip, hostname: reader.string(item, 'hostname') ?? null, ipMode };
  });
}

function readServicePort(reader: Reader, item: Mapping, strictness: Strictness): ServicePortDraft | undefined {
  if (strictness === 'strict')
    reader.allowOnly(item, 'a service port', ['name', 'port', 'targetPort', 'protocol', 'nodePort', 'appProtocol']);
  if (valueAt(item, 'port') === undefined) {
    reader.problems.error('missing-key', 'A service port needs "port"', reader.position(item));
    return undefined;
  }
  const port = readPort(reader, item, 'port');
  if (port === undefined) return undefined;
  return {
    name: reader.text(item, 'name') ?? '',
    protocol: readTransport(reader, item, 'protocol'),
    port,
    targetPort: readTargetPort(reader, item),
    nodePort: reader.integer(item, 'nodePort', 0, MAX_PORT),
    position: strictness === 'strict' ? reader.position(item) : null,
  };
}

/** A number, or the name of a container port. 0 and "" mean "as port" (API server). */
function readTargetPort(reader: Reader, item: Mapping): number | string | undefined {
  const value = valueAt(item, 'targetPort');
  if (value === undefined || value === 0 || value === '') return undefined;
  if (typeof value === 'string' && !/^\d+$/.test(value)) return value;
  if (typeof value === 'number') return readPort(reader, item, 'targetPort');
  return reader.wrong(item, 'targetPort', 'a port number, or the name of a container port', 'A number is written without quotes');
}

function readClusterIps(reader: Reader, spec: Mapping): readonly IpAddress[] | 'None' | undefined {
  const first = reader.string(spec, 'clusterIP');
  const list = reader.texts(spec, 'clusterIPs');
  if (first === 'None' || list?.[0] === 'None') return 'None';
  const texts = list !== undefined && list.length > 0 ? list : first === undefined || first === '' ? [] : [first];
  if (texts.length === 0) return undefined;
  const ips: IpAddress[] = [];
  for (const text of texts) {
    const ip = parseIpSloppy(text);
    if (ip === null) reader.wrong(spec, first === undefined ? 'clusterIPs' : 'clusterIP', 'an IP address or None');
    else ips.push(ip);
  }
  return ips;
}

function readIpFamilies(reader: Reader, spec: Mapping): readonly (4 | 6)[] | undefined {
  const families = reader.items(spec, 'ipFamilies', (list, i) => reader.oneOf(list, i, ['IPv4', 'IPv6']));
  return families === undefined || families.length === 0 ? undefined : families.map((f) => (f === 'IPv4' ? 4 : 6));
}

function readAffinitySeconds(reader: Reader, spec: Mapping): number | undefined {
  const config = reader.mapping(spec, 'sessionAffinityConfig');
  const client = config === undefined ? undefined : reader.mapping(config, 'clientIP');
  return client === undefined ? undefined : reader.integer(client, 'timeoutSeconds', 1, 86400);
}

function readAll<T>(
  reader: Reader,
  spec: Mapping,
  key: string,
  expected: string,
  strictness: Strictness,
  parse: (text: string) => T | null,
): readonly T[] | undefined {
  return reader.items(spec, key, (list, i) => {
    const text = reader.string(list, i);
    const value = text === undefined ? null : parse(text);
    if (value === null && strictness === 'strict' && text !== undefined) return reader.wrong(list, i, expected);
    return value ?? undefined;
  });
}
