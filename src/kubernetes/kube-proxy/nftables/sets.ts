import { formatDuration } from '../../../kernel/netfilter/nftables/duration.ts';
import { formatIp, parseIp } from '../../../net/ip.ts';
import { once } from '../../../support/once.ts';
import { affinitySet } from './port-view.ts';
import { sharedElements } from './shared-maps.ts';
import type { NftElement, NftSet } from '../../../kernel/netfilter/nftables/ruleset.ts';
import type { ServiceMap } from '../../services/service-map.ts';
import type { PortView } from './port-view.ts';
import type { NftSettings } from './settings.ts';
import type { SharedMap } from './shared-maps.ts';

/** What the sets are filled from: the service ports, and how this node sees each. */
export interface SetSource {
  readonly services: ServiceMap;
  readonly settings: NftSettings;
  view(index: number): PortView;
}

/** The sets and maps of all services. Their elements are made when asked for, and one by its key without making the others. */
export function fixedSets(source: SetSource): readonly NftSet[] {
  const { settings } = source;
  const { addressType, generation, nodePortIps } = settings;
  const byAddress = `type ${addressType} . inet_proto . inet_service : verdict`;
  const byPort = 'type inet_proto . inet_service : verdict';
  const clusterIps = once(() => keysOnly(source.services.ports.map((port) => formatIp(port.clusterIp))));
  const hairpins = once(() => hairpinConnections(source));
  return [
    ...(generation === 'alpha'
      ? []
      : [
          plainSet(
            'hairpin-connections',
            `type ${addressType} . ${addressType} . inet_proto . inet_service`,
            'service hairpin connections',
            hairpins,
          ),
        ]),
    {
      ...plainSet('cluster-ips', `type ${addressType}`, 'Active ClusterIPs', clusterIps),
      find: (key) => clusterIpElement(source, key),
    },
    ...(nodePortIps === null
      ? []
      : [
          plainSet('nodeport-ips', `type ${addressType}`, 'IPs that accept NodePort traffic', () =>
            keysOnly(nodePortIps.map(formatIp)),
          ),
        ]),
    sharedMap(source, 'no-endpoint-services', byAddress, 'vmap to drop or reject packets to services with no endpoints'),
    sharedMap(source, 'no-endpoint-nodeports', byPort, 'vmap to drop or reject packets to service nodeports with no endpoints'),
    sharedMap(source, 'firewall-ips', byAddress, 'destinations that are subject to LoadBalancerSourceRanges'),
    sharedMap(source, 'service-ips', byAddress, 'ClusterIP, ExternalIP and LoadBalancer IP traffic'),
    sharedMap(source, 'service-nodeports', byPort, 'NodePort traffic'),
  ];
}

/** For each endpoint of a service with affinity, the set of clients that it keeps. */
export function affinitySets(view: PortView): readonly NftSet[] {
  const { affinitySeconds } = view.port;
  if (affinitySeconds === null) return [];
  const options = ['size 65535', 'flags dynamic,timeout', `timeout ${formatDuration(affinitySeconds)}`];
  return view.selection.reachable.map((endpoint) => ({
    kind: 'set',
    name: affinitySet(view, endpoint),
    type: `type ${view.settings.addressType}`,
    options,
    comment: null,
    elements: () => [],
  }));
}

function plainSet(name: string, type: string, comment: string, elements: () => readonly NftElement[]): NftSet {
  return { kind: 'set', name, type, options: [], comment, elements };
}

function sharedMap({ services, view }: SetSource, name: SharedMap, type: string, comment: string): NftSet {
  const elements = once(() => firstOfKey(services.ports.flatMap((_, index) => sharedElements(name, view(index)))));
  return {
    kind: 'map',
    name,
    type,
    options: [],
    comment,
    elements,
    find(key) {
      for (const index of candidates(services, key)) {
        const element = sharedElements(name, view(index)).find((candidate) => candidate.key === key);
        if (element !== undefined) return element;
      }
      return undefined;
    },
  };
}

/** Service ports that may have put a key in: by the address in front, or by the node port of "tcp . 30080". */
function candidates(services: ServiceMap, key: string): readonly number[] {
  const parts = key.split(' . ');
  const address = parts.length === 3 ? parseIp(parts[0]!) : null;
  return address === null ? services.withNodePort(Number(parts.at(-1))) : services.withAddress(address);
}

/** A map has a key once; two services that claim one address and port can't both have it. */
function firstOfKey(elements: readonly NftElement[]): readonly NftElement[] {
  const byKey = new Map<string, NftElement>();
  for (const element of elements) if (!byKey.has(element.key)) byKey.set(element.key, element);
  return [...byKey.values()];
}

function keysOnly(keys: readonly string[]): readonly NftElement[] {
  return [...new Set(keys)].map((key) => ({ key, data: null, comment: null, options: [] }));
}

function clusterIpElement({ services }: SetSource, key: string): NftElement | undefined {
  const address = parseIp(key);
  if (address === null) return undefined;
  const port = services
    .withAddress(address)
    .map((index) => services.ports[index]!)
    .find(({ clusterIp }) => clusterIp === address);
  if (port === undefined) return undefined;
  const object = `Service ${port.service.namespace}/${port.service.name}`;
  return { key, data: null, comment: null, options: [], origin: { object, by: 'kube-proxy', role: 'unknown-port' } };
}

/** An endpoint of this node that reaches itself through a service: source and destination are the same. */
function hairpinConnections({ services, settings, view }: SetSource): readonly NftElement[] {
  const keys: string[] = [];
  services.ports.forEach((port, index) => {
    for (const { ip, port: number, nodeName } of view(index).selection.reachable) {
      if (nodeName === settings.endpointPolicy.nodeName) keys.push(`${ip} . ${ip} . ${port.protocol} . ${number}`);
    }
  });
  return keysOnly(keys);
}
