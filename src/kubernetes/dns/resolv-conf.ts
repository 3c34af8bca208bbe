import { cidrContains } from '../../net/cidr.ts';
import { addToIp } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { Cluster, Node, Pod } from '../model/cluster.ts';
import type { DnsConfig, DnsPolicy } from '../model/dns.ts';
import { canonicalName } from './names.ts';
import { findServiceNamed } from '../services/find-service.ts';

/** The service of cluster DNS, and the place of its address in the service range, as kubeadm has them. */
const DNS_SERVICE = { namespace: 'kube-system', name: 'kube-dns' } as const;
const DNS_OFFSET = 10;
/** What glibc reads of a resolv.conf (MAXNS, RES_MAXNDOTS), and kubelet's own limits (MaxDNSNameservers, MaxDNSSearchPaths). */
const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARS = 2048;
const MAX_NDOTS = 15;

/** A resolv.conf(5). */
export interface ResolvConf {
  /** Empty: not known; names are then looked up in the DNS of the world, nobody says where. */
  readonly nameservers: readonly IpAddress[];
  /** Domains in canonical form; "" is the root. */
  readonly search: readonly string[];
  /** Names with so many dots are first tried as they are. */
  readonly ndots: number;
  readonly options: DnsConfig['options'];
  /** Whose it is: the cluster's DNS, the node's own, or what dnsConfig alone says. */
  readonly from: 'cluster' | 'node' | 'dnsConfig';
}

/** The address that kubelet puts into resolv.conf (clusterDNS): the service's, if it is given, else the tenth of the service range. */
export function clusterDnsAddress(cluster: Cluster): IpAddress | null {
  const service = findServiceNamed(cluster, DNS_SERVICE.namespace, DNS_SERVICE.name);
  const given = service?.clusterIps[0];
  if (given !== undefined) return given;
  const [range] = cluster.serviceCidrs;
  if (range === undefined) return null;
  const address = addToIp(range.address, DNS_OFFSET);
  return cidrContains(range, address) ? address : null;
}

/** The policy that counts: a pod on its node's network that does not ask for cluster DNS has the node's (kubelet `getPodDNSType`). */
export function effectiveDnsPolicy({ dns, hostNetwork }: Pick<Pod, 'dns' | 'hostNetwork'>): DnsPolicy {
  const policy = dns?.policy ?? 'ClusterFirst';
  return policy === 'ClusterFirst' && hostNetwork ? 'Default' : policy;
}

/** The resolv.conf of a pod, as kubelet writes it (pkg/kubelet/network/dns `GetPodDNS`). */
export function searchList(pod: Pod, cluster: Cluster): ResolvConf {
  const node = cluster.nodes.find(({ name }) => name === pod.node);
  const base = baseOf(pod, cluster, node);
  const more = pod.dns?.config ?? null;
  if (more === null) return limited(base.config, base.from);
  const config: DnsConfig = {
    nameservers: [...base.config.nameservers, ...more.nameservers],
    searches: [...base.config.searches, ...more.searches],
    options: mergedOptions(base.config.options, more.options),
  };
  return limited(config, base.from);
}

/** The resolv.conf of a process of a node. An external host's is not known. */
export function nodeResolvConf(node: Node): ResolvConf {
  return limited(node.resolvConf ?? NOTHING, 'node');
}

/** A resolv.conf that says nothing: external hosts have it. */
export const UNKNOWN_RESOLV_CONF: ResolvConf = { nameservers: [], search: [], ndots: 1, options: [], from: 'node' };

const NOTHING: DnsConfig = { nameservers: [], searches: [], options: [] };

function baseOf(
  pod: Pod,
  cluster: Cluster,
  node: Node | undefined,
): { readonly config: DnsConfig; readonly from: ResolvConf['from'] } {
  const own = node?.resolvConf ?? NOTHING;
  switch (effectiveDnsPolicy(pod)) {
    case 'None':
      return { config: NOTHING, from: 'dnsConfig' };
    case 'Default':
      return { config: own, from: 'node' };
    case 'ClusterFirst':
    case 'ClusterFirstWithHostNet': {
      const address = clusterDnsAddress(cluster);
      // Without an address of cluster DNS kubelet falls back to the node's (event MissingClusterDNS).
      if (address === null) return { config: own, from: 'node' };
      const domain = canonicalName(cluster.dnsDomain);
      const searches = [`${pod.namespace}.svc.${domain}`, `svc.${domain}`, domain, ...own.searches];
      return { config: { nameservers: [address], searches, options: [{ name: 'ndots', value: '5' }] }, from: 'cluster' };
    }
  }
}

/** An option that dnsConfig names too takes its value from there. */
function mergedOptions(base: DnsConfig['options'], more: DnsConfig['options']): DnsConfig['options'] {
  const merged = new Map([...base, ...more].map((option) => [option.name, option]));
  return [...merged.values()];
}

function limited({ nameservers, searches, options }: DnsConfig, from: ResolvConf['from']): ResolvConf {
  const search: string[] = [];
  let chars = 0;
  for (const domain of new Set(searches.map(canonicalName))) {
    chars += domain.length + (search.length === 0 ? 0 : 1);
    if (search.length === MAX_SEARCHES || chars > MAX_SEARCH_CHARS) break;
    search.push(domain);
  }
  return {
    nameservers: [...new Set(nameservers)].slice(0, MAX_NAMESERVERS),
    search,
    ndots: ndotsOf(options),
    options,
    from,
  };
}

/** resolv.conf(5): 1 unless an option says otherwise; what is no number counts as 0 (atoi). */
function ndotsOf(options: DnsConfig['options']): number {
  const option = options.findLast(({ name }) => name === 'ndots');
  // Without a colon it is no option that glibc knows (res_setoptions).
  if (option === undefined || option.value === null) return 1;
  return Math.min(MAX_NDOTS, Number.parseInt(option.value, 10) || 0);
}
