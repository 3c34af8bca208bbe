import { cidrContains, hostPrefix } from '../../../net/cidr.ts';
import { elementKey } from '../../../kernel/ipset/lookup.ts';
import type { IpSet, SetField } from '../../../kernel/ipset/ipset.ts';
import type { IpAddress, IpFamily } from '../../../net/ip.ts';
import type { TransportProtocol } from '../../../net/protocol.ts';
import type { PortView } from './port-view.ts';

/** ipset's IPSET_MAXNAMELEN without its final zero; kube-proxy cuts longer names. */
const MAX_NAME = 31;

const SET_TYPES = [
  ['KUBE-LOOP-BACK', 'hash:ip,port,ip'],
  ['KUBE-CLUSTER-IP', 'hash:ip,port'],
  ['KUBE-EXTERNAL-IP', 'hash:ip,port'],
  ['KUBE-EXTERNAL-IP-LOCAL', 'hash:ip,port'],
  ['KUBE-LOAD-BALANCER', 'hash:ip,port'],
  ['KUBE-LOAD-BALANCER-FW', 'hash:ip,port'],
  ['KUBE-LOAD-BALANCER-LOCAL', 'hash:ip,port'],
  ['KUBE-LOAD-BALANCER-SOURCE-IP', 'hash:ip,port,ip'],
  ['KUBE-LOAD-BALANCER-SOURCE-CIDR', 'hash:ip,port,net'],
  ['KUBE-NODE-PORT-TCP', 'bitmap:port'],
  ['KUBE-NODE-PORT-LOCAL-TCP', 'bitmap:port'],
  ['KUBE-NODE-PORT-UDP', 'bitmap:port'],
  ['KUBE-NODE-PORT-LOCAL-UDP', 'bitmap:port'],
  ['KUBE-NODE-PORT-SCTP-HASH', 'hash:ip,port'],
  ['KUBE-NODE-PORT-LOCAL-SCTP-HASH', 'hash:ip,port'],
  ['KUBE-HEALTH-CHECK-NODE-PORT', 'bitmap:port'],
  ['KUBE-IPVS-IPS', 'hash:ip'],
] as const;

/** A set of kube-proxy, by its IPv4 name. */
export type ProxySetName = (typeof SET_TYPES)[number][0];

/** The sets of one family; all exist, with or without elements (pkg/proxy/ipvs ipsetInfo). */
export interface ProxySets {
  readonly all: readonly IpSet[];
  /** The name in this family: IPv6 has KUBE-6-... */
  nameOf(name: ProxySetName): string;
  /** kube-proxy has put something in, even if ipset then refused it. */
  isUsed(name: ProxySetName): boolean;
}

function nameIn(family: IpFamily, name: ProxySetName): string {
  return (family === 4 ? name : name.replace('KUBE-', 'KUBE-6-')).slice(0, MAX_NAME);
}

/** Fills the sets from all service ports. `bound`: the addresses of kube-ipvs0, null where they have no set of their own (before 1.26). */
export function proxySets(family: IpFamily, views: readonly PortView[], bound: readonly IpAddress[] | null): ProxySets {
  const elements = new Map<ProxySetName, Map<string, readonly SetField[]>>();
  const add = (name: ProxySetName, ...fields: readonly SetField[]): void => {
    const set = elements.get(name) ?? new Map<string, readonly SetField[]>();
    elements.set(name, set);
    set.set(elementKey(fields), fields);
  };
  for (const view of views) addElements(view, add);
  for (const address of bound ?? []) add('KUBE-IPVS-IPS', host(address));
  return {
    all: SET_TYPES.filter(([name]) => bound !== null || name !== 'KUBE-IPVS-IPS').map(([name, type]) =>
      setOf(family, name, type, [...(elements.get(name)?.values() ?? [])].filter(isAccepted)),
    ),
    nameOf: (name) => nameIn(family, name),
    isUsed: (name) => elements.has(name),
  };
}

function setOf(family: IpFamily, name: ProxySetName, type: string, elements: readonly (readonly SetField[])[]): IpSet {
  const isBitmap = type === 'bitmap:port';
  return {
    name: nameIn(family, name),
    type,
    family: isBitmap ? 4 : family,
    options: isBitmap ? 'range 0-65535' : `family inet${family === 6 ? '6' : ''} hashsize 1024 maxelem 65536`,
    entries: elements.map((fields) => ({ fields, nomatch: false, options: '' })),
  };
}

/** A set of prefixes has no place for one of length 0: ipset refuses it, and the range admits nobody. */
function isAccepted(fields: readonly SetField[]): boolean {
  return !fields.some((field) => field.kind === 'net' && field.cidr.length === 0);
}

type AddElement = (name: ProxySetName, ...fields: readonly SetField[]) => void;

function addElements(view: PortView, add: AddElement): void {
  const { port, settings, onThisNode } = view;
  const { protocol, externalLocal } = port;
  const service = portField(protocol, port.port);
  for (const endpoint of onThisNode) {
    add('KUBE-LOOP-BACK', host(endpoint.address), portField(protocol, endpoint.port), host(endpoint.address));
  }
  add('KUBE-CLUSTER-IP', host(port.clusterIp), service);
  for (const ip of port.externalIps) add(externalLocal ? 'KUBE-EXTERNAL-IP-LOCAL' : 'KUBE-EXTERNAL-IP', host(ip), service);
  for (const ip of port.loadBalancerIps) {
    add('KUBE-LOAD-BALANCER', host(ip), service);
    if (externalLocal) add('KUBE-LOAD-BALANCER-LOCAL', host(ip), service);
    if (port.sourceRanges.length > 0) addSourceRanges(view, ip, add);
  }
  if (port.nodePort !== 0) {
    // Without an address for the node port kube-proxy leaves the service port there: its health check stays closed too.
    if (settings.nodePortIps.length === 0) return;
    addNodePort(view, add);
  }
  if (port.healthCheckNodePort !== 0) add('KUBE-HEALTH-CHECK-NODE-PORT', portField('any', port.healthCheckNodePort));
}

function addSourceRanges(view: PortView, ip: IpAddress, add: AddElement): void {
  const { port } = view;
  const service = portField(port.protocol, port.port);
  add('KUBE-LOAD-BALANCER-FW', host(ip), service);
  for (const range of port.sourceRanges) add('KUBE-LOAD-BALANCER-SOURCE-CIDR', host(ip), service, { kind: 'net', cidr: range });
  if (admitsNode(view)) add('KUBE-LOAD-BALANCER-SOURCE-IP', host(ip), service, host(ip));
}

/** True when some source range holds the node's own address: then the node may also come from the balancer's address. */
export function admitsNode({ port, settings }: PortView): boolean {
  return port.sourceRanges.some((range) => cidrContains(range, settings.nodeIp));
}

function addNodePort({ port, settings }: PortView, add: AddElement): void {
  const { protocol, nodePort, externalLocal } = port;
  if (protocol === 'sctp') {
    for (const ip of settings.nodePortIps) {
      add('KUBE-NODE-PORT-SCTP-HASH', host(ip), portField(protocol, nodePort));
      if (externalLocal) add('KUBE-NODE-PORT-LOCAL-SCTP-HASH', host(ip), portField(protocol, nodePort));
    }
    return;
  }
  const suffix = protocol === 'tcp' ? 'TCP' : 'UDP';
  add(`KUBE-NODE-PORT-${suffix}`, portField('any', nodePort));
  if (externalLocal) add(`KUBE-NODE-PORT-LOCAL-${suffix}`, portField('any', nodePort));
}

function host(address: IpAddress): SetField {
  return { kind: 'net', cidr: hostPrefix(address) };
}

function portField(protocol: TransportProtocol | 'any', port: number): SetField {
  return { kind: 'port', protocol, port };
}
