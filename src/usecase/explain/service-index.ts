import { once } from '../../support/once.ts';
import { endpointsOf, sliceIndexOf } from '../../kubernetes/services/endpoints.ts';
import { servicePortsOf } from '../../kubernetes/services/service-port.ts';
import { endpointChainName, servicePortHash } from '../../kubernetes/kube-proxy/iptables/names.ts';
import { linesOf } from '../../kernel/netfilter/iptables/edit.ts';
import { readRuleText } from './rule-text.ts';
import type { IptablesTables } from '../../kernel/netfilter/iptables/table.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';

/** Whose a chain of kube-proxy is. */
export interface ChainOwner {
  /** "namespace/service" or "namespace/service:portname", as kube-proxy prints it. */
  readonly name: string;
  /** "ip:port" of the endpoint that the chain stands for; null for chains of the service itself. */
  readonly endpoint: string | null;
}

/** Finds the service port (and endpoint) behind a chain whose name is only a hash. */
export interface ServiceIndex {
  /** undefined: not known here. */
  owner(chain: string): ChainOwner | undefined;
}

export const NO_SERVICES: ServiceIndex = { owner: () => undefined };

/** Chain prefixes whose hash is that of a service port; XLB is what EXT was called before 1.24. */
const SERVICE_CHAIN = /^KUBE-(?:SVC|SVL|EXT|FW|XLB)-([A-Z2-7]{16})$/;
const ENDPOINT_CHAIN = /^KUBE-SEP-/;

const indexes = new WeakMap<Cluster, ServiceIndex>();

/** The index over a cluster's services; hashes are computed when first asked for, once a cluster. */
export function serviceIndexOf(cluster: Cluster): ServiceIndex {
  const index = indexes.get(cluster) ?? makeIndex(cluster);
  indexes.set(cluster, index);
  return index;
}

function makeIndex(cluster: Cluster): ServiceIndex {
  const services = once(() => serviceOwners(cluster));
  const endpoints = once(() => endpointOwners(cluster));
  return {
    owner(chain) {
      if (ENDPOINT_CHAIN.test(chain)) return endpoints().get(chain);
      const hash = SERVICE_CHAIN.exec(chain)?.[1];
      return hash === undefined ? undefined : services().get(hash);
    },
  };
}

function serviceOwners(cluster: Cluster): Map<string, ChainOwner> {
  const owners = new Map<string, ChainOwner>();
  for (const family of [4, 6] as const) {
    for (const { name, protocol } of servicePortsOf(cluster, family))
      owners.set(servicePortHash(name, protocol), { name, endpoint: null });
  }
  return owners;
}

function endpointOwners(cluster: Cluster): Map<string, ChainOwner> {
  const owners = new Map<string, ChainOwner>();
  const slices = sliceIndexOf(cluster);
  for (const family of [4, 6] as const) {
    for (const port of servicePortsOf(cluster, family)) {
      for (const { text } of endpointsOf(port, slices)) {
        owners.set(endpointChainName(port.name, port.protocol, text), { name: port.name, endpoint: text });
      }
    }
  }
  return owners;
}

/**
 * An index over what a dump says of itself: the comments of KUBE-SERVICES and KUBE-NODEPORTS name the service behind a hash, the jumps of
 * its chains lead to the endpoints'. What the dump does not say, `fallback` may know.
 */
export function serviceIndexOfDump(tables: IptablesTables, fallback: ServiceIndex): ServiceIndex {
  const services = once(() => namesInDump(tables));
  const serviceName = (chain: string): string | undefined => {
    const hash = SERVICE_CHAIN.exec(chain)?.[1];
    return hash === undefined ? undefined : services().get(hash);
  };
  const endpoints = once(() => endpointsInDump(tables, serviceName));
  return {
    owner(chain) {
      if (ENDPOINT_CHAIN.test(chain)) return endpoints().get(chain) ?? fallback.owner(chain);
      const name = serviceName(chain);
      return name === undefined ? fallback.owner(chain) : { name, endpoint: null };
    },
  };
}

function namesInDump(tables: IptablesTables): Map<string, string> {
  const names = new Map<string, string>();
  for (const shared of ['KUBE-SERVICES', 'KUBE-NODEPORTS']) {
    const chain = tables.get('nat')?.chain(shared);
    for (const { body } of chain === undefined ? [] : linesOf(chain)) {
      const { target, comment } = readRuleText(body);
      const hash = SERVICE_CHAIN.exec(target)?.[1];
      const name = servicePortName(comment);
      if (hash !== undefined && name !== null) names.set(hash, name);
    }
  }
  return names;
}

function endpointsInDump(tables: IptablesTables, serviceName: (chain: string) => string | undefined): Map<string, ChainOwner> {
  const owners = new Map<string, ChainOwner>();
  const nat = tables.get('nat');
  for (const name of nat?.chainNames() ?? []) {
    const service = serviceName(name);
    const chain = service === undefined ? undefined : nat?.chain(name);
    if (service === undefined || chain === undefined) continue;
    for (const { body } of linesOf(chain)) {
      const { target, comment } = readRuleText(body);
      if (!ENDPOINT_CHAIN.test(target)) continue;
      owners.set(target, { name: service, endpoint: / -> (\S+)$/.exec(comment)?.[1] ?? destinationOf(tables, target) });
    }
  }
  return owners;
}

function destinationOf(tables: IptablesTables, endpointChain: string): string | null {
  const chain = tables.get('nat')?.chain(endpointChain);
  for (const { body } of chain === undefined ? [] : linesOf(chain)) {
    const destination = readRuleText(body).option('--to-destination');
    if (destination !== null) return destination;
  }
  return null;
}

/** The "namespace/service[:port]" that a comment of kube-proxy begins with or speaks of; null when it names none. */
export function servicePortName(comment: string): string | null {
  const name = '([a-z0-9][-a-z0-9.]*/[a-z0-9][-a-z0-9.]*(?::[-a-z0-9]*)?)';
  const found =
    new RegExp(`^${name}(?:$| )`).exec(comment) ??
    new RegExp(`(?:traffic (?:for|to)|rule \\d+ for) ${name}(?:$| )`).exec(comment);
  // Before 1.20 an unnamed port left its colon behind.
  return found?.[1]?.replace(/:$/, '') ?? null;
}

/** "Service namespace/name" of a service port's name. */
export function serviceObject(name: string): string {
  return `Service ${name.split(':', 1)[0]}`;
}
