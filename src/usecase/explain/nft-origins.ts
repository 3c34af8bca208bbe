import { pathOfName } from '../../kubernetes/kube-proxy/nftables/names.ts';
import { servicePortsOf } from '../../kubernetes/services/service-port.ts';
import { formatIp } from '../../net/ip.ts';
import { once } from '../../support/once.ts';
import { nftProxyRole } from './nft-proxy-role.ts';
import { serviceIndexOf, serviceObject } from './service-index.ts';
import type { NftChain, NftElement, NftRule, NftRuleset, NftSet, NftTable } from '../../kernel/netfilter/nftables/ruleset.ts';
import type { Origin } from '../../trace/origin.ts';
import type { ProxyRole } from '../../kubernetes/services/proxy-role.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';

/**
 * The same tables with an origin at each rule and map element that is recognised: kube-proxy's own table names the service in its chains,
 * elements and comments; iptables-nft's chains have the names that they have in iptables.
 */
export function originsForNftDump(ruleset: NftRuleset, cluster: Cluster): NftRuleset {
  const balanced = once(() => loadBalancerAddresses(cluster));
  return ruleset.map((table) =>
    table.name === 'kube-proxy'
      ? withOrigins(table, {
          rule: (chain, rule) => ruleOrigin(chain, rule),
          element: (set, element) => elementOrigin(set, element, balanced()),
        })
      : withOrigins(table, { rule: (chain) => iptablesOrigin(chain.name, cluster), element: () => undefined }),
  );
}

interface Recognise {
  readonly rule: (chain: NftChain, rule: NftRule) => Origin | undefined;
  readonly element: (set: NftSet, element: NftElement) => Origin | undefined;
}

/** Chains and sets are looked through when somebody asks for them. */
function withOrigins(table: NftTable, recognise: Recognise): NftTable {
  const chains = new Map<string, NftChain>();
  const sets = new Map<string, NftSet>();
  const chainWith = (chain: NftChain): NftChain => {
    const known = chains.get(chain.name) ?? {
      ...chain,
      rules: chain.rules.map((rule) => named(rule, recognise.rule(chain, rule))),
    };
    chains.set(chain.name, known);
    return known;
  };
  const setWith = (set: NftSet): NftSet => {
    const elements = once(() => set.elements().map((element) => named(element, recognise.element(set, element))));
    const known = sets.get(set.name) ?? { ...set, elements };
    sets.set(set.name, known);
    return known;
  };
  return {
    ...table,
    chain: (name) => ifThere(table.chain(name), chainWith),
    *chains() {
      for (const chain of table.chains()) yield chainWith(chain);
    },
    *baseChains() {
      for (const chain of table.baseChains()) yield chainWith(chain);
    },
    set: (name) => ifThere(table.set(name), setWith),
    *sets() {
      for (const set of table.sets()) yield setWith(set);
    },
  };
}

function ifThere<T>(value: T | undefined, change: (value: T) => T): T | undefined {
  return value === undefined ? undefined : change(value);
}

function named<T extends { readonly origin?: Origin }>(part: T, origin: Origin | undefined): T {
  return origin === undefined || part.origin !== undefined ? part : { ...part, origin };
}

function ruleOrigin({ name, base }: NftChain, { text }: NftRule): Origin | undefined {
  const role = nftProxyRole(name, base !== null, text);
  return role === null ? undefined : proxyOrigin(role, serviceOf(name));
}

function elementOrigin(set: NftSet, { key, data, comment }: NftElement, balanced: ReadonlySet<string>): Origin | undefined {
  const service = serviceOf(data?.replace(/^goto /, '') ?? '') ?? (comment === null ? null : serviceObject(comment));
  const role = elementRole(set.name, key, data ?? '', balanced);
  return role === null ? undefined : proxyOrigin(role, service);
}

function elementRole(map: string, key: string, data: string, balanced: ReadonlySet<string>): ProxyRole | null {
  switch (map) {
    case 'service-ips':
      if (!data.startsWith('goto external-')) return 'cluster-ip';
      return balanced.has(key.split(' ', 1)[0]!) ? 'load-balancer-ip' : 'external-ip';
    case 'service-nodeports':
      return 'node-port';
    case 'no-endpoint-services':
    case 'no-endpoint-nodeports':
      return data === 'drop' ? 'no-local-endpoints' : 'no-endpoints';
    case 'firewall-ips':
      return 'load-balancer-ip';
    default:
      return null;
  }
}

function proxyOrigin(role: ProxyRole, object: string | null): Origin {
  return { object, by: 'kube-proxy', role };
}

/** "Service shop/web" of a chain's name "service-HASH-shop/web/tcp/http"; null for chains of no service. */
function serviceOf(chain: string): string | null {
  const path = pathOfName(chain);
  if (path === null) return null;
  const [namespace, name] = path.split('/');
  return `Service ${namespace}/${name}`;
}

function loadBalancerAddresses(cluster: Cluster): ReadonlySet<string> {
  const ports = [...servicePortsOf(cluster, 4), ...servicePortsOf(cluster, 6)];
  return new Set(ports.flatMap(({ loadBalancerIps }) => loadBalancerIps.map(formatIp)));
}

/** Of chains of iptables-nft only the name tells whose they are: their rules are printed in nft's words, without their comments. */
function iptablesOrigin(chain: string, cluster: Cluster): Origin | undefined {
  if (chain.startsWith('FLANNEL-')) return { object: null, by: 'flannel' };
  if (!/^KUBE-(?!KUBELET-)/.test(chain)) return undefined;
  const owner = serviceIndexOf(cluster).owner(chain);
  return { object: owner === undefined ? null : serviceObject(owner.name), by: 'kube-proxy' };
}
