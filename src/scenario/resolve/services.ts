import type { Service } from '../../kubernetes/model/cluster.ts';
import type { Cidr } from '../../net/cidr.ts';
import { familyOf } from '../../net/ip.ts';
import type { IpAddress, IpFamily } from '../../net/ip.ts';
import type { ServiceDraft } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';
import type { LoadBalancerStatuses } from './load-balancers.ts';
import { ClusterIpAllocator, NodePortAllocator } from './service-allocators.ts';

/** The API server's default of sessionAffinityConfig.clientIP.timeoutSeconds. */
const DEFAULT_AFFINITY_SECONDS = 10800;

/** Services with the API server's defaults, cluster IPs and node ports; those in `retired` are not handed out. */
export function resolveServices(
  drafts: readonly ServiceDraft[],
  serviceCidrs: readonly Cidr[],
  problems: Problems,
  retired: ReadonlySet<IpAddress>,
  statusOf: LoadBalancerStatuses,
): readonly Service[] {
  const ips = new ClusterIpAllocator(serviceCidrs, [...retired, ...drafts.flatMap((d) => d.clusterIps ?? [])]);
  const nodePorts = new NodePortAllocator(drafts);
  return drafts.map((draft) => resolveService(draft, serviceCidrs, ips, nodePorts, problems, statusOf));
}

function resolveService(
  draft: ServiceDraft,
  serviceCidrs: readonly Cidr[],
  ips: ClusterIpAllocator,
  nodePorts: NodePortAllocator,
  problems: Problems,
  statusOf: LoadBalancerStatuses,
): Service {
  const type = draft.type ?? 'ClusterIP';
  const headless = draft.headless ?? false;
  const hasClusterIp = type !== 'ExternalName' && !headless;
  const families = familiesOf(draft, serviceCidrs);
  const clusterIps = hasClusterIp ? clusterIpsOf(draft, families, ips, problems) : [];
  tellMissingFamily(draft, serviceCidrs, problems);
  const external = (draft.externalTrafficPolicy ?? 'Cluster') === 'Local';
  const selector = draft.selector !== undefined && Object.keys(draft.selector).length > 0 ? draft.selector : null;
  const ipFamilies = clusterIps.length > 0 && draft.ipFamilies === undefined ? clusterIps.map(familyOf) : families;
  return {
    namespace: draft.namespace,
    name: draft.name,
    type,
    clusterIps,
    headless,
    ipFamilies,
    ports: nodePorts.portsOf(draft),
    selector,
    externalIps: draft.externalIps ?? [],
    loadBalancerIngress: statusOf(draft, ipFamilies),
    loadBalancerSourceRanges: draft.loadBalancerSourceRanges ?? [],
    loadBalancerClass: draft.loadBalancerClass ?? null,
    allocateLoadBalancerNodePorts: draft.allocateLoadBalancerNodePorts ?? true,
    externalTrafficPolicy: external ? 'Local' : 'Cluster',
    internalTrafficPolicy: draft.internalTrafficPolicy ?? 'Cluster',
    sessionAffinity:
      draft.sessionAffinity === 'ClientIP'
        ? { kind: 'ClientIP', timeoutSeconds: draft.affinitySeconds ?? DEFAULT_AFFINITY_SECONDS }
        : { kind: 'None' },
    healthCheckNodePort: nodePorts.healthCheckPortOf(draft),
    publishNotReadyAddresses: draft.publishNotReadyAddresses ?? false,
    trafficDistribution: draft.trafficDistribution ?? null,
    externalName: draft.externalName ?? null,
    annotations: draft.annotations ?? {},
    labels: draft.labels ?? {},
    position: draft.position,
  };
}

/** Given cluster IPs as kube-proxy reads them: the i-th counts for the i-th family only. Undefined when none is given. */
function pairFamilies(draft: ServiceDraft): readonly IpAddress[] | undefined {
  const { clusterIps, ipFamilies } = draft;
  if (clusterIps === undefined || ipFamilies === undefined) return clusterIps;
  return clusterIps.filter((ip, i) => ipFamilies[i] === familyOf(ip));
}

/** What the API server makes of ipFamilies and ipFamilyPolicy: named ones first, the cluster's first one by default, both where asked for. */
function familiesOf(draft: ServiceDraft, serviceCidrs: readonly Cidr[]): readonly IpFamily[] {
  const all = serviceCidrs.map(({ address }) => familyOf(address));
  const said = draft.ipFamilies ?? (draft.clusterIps?.length ? draft.clusterIps.map(familyOf) : undefined);
  const named = said ?? all.slice(0, 1);
  const isSettled = draft.complete === true && said !== undefined;
  return isDual(draft) && !isSettled ? [...named, ...all.filter((family) => !named.includes(family))] : named;
}

function isDual({ ipFamilyPolicy }: ServiceDraft): boolean {
  return ipFamilyPolicy === 'PreferDualStack' || ipFamilyPolicy === 'RequireDualStack';
}

/** Given addresses, and allotted ones for families that have none. A service that an API server has seen has all that it gets. */
function clusterIpsOf(
  draft: ServiceDraft,
  families: readonly IpFamily[],
  ips: ClusterIpAllocator,
  problems: Problems,
): readonly IpAddress[] {
  const given = pairFamilies(draft);
  if (given !== undefined && (draft.complete === true || !isDual(draft))) return given;
  const out: IpAddress[] = [];
  for (const family of families) {
    const ip = given?.find((address) => familyOf(address) === family) ?? ips.next(family, `${draft.namespace}/${draft.name}`);
    if (ip !== null) out.push(ip);
    else {
      const message = `The service range has no IPv${family} address for service ${draft.namespace}/${draft.name}`;
      problems.error('range-exhausted', message, draft.position, 'Give "clusterIP", or a wider cluster.serviceCIDR');
    }
  }
  return out;
}

function tellMissingFamily(draft: ServiceDraft, serviceCidrs: readonly Cidr[], problems: Problems): void {
  if (draft.ipFamilyPolicy !== 'RequireDualStack' || draft.complete === true || serviceCidrs.length > 1) return;
  const message = `Service ${draft.namespace}/${draft.name} requires dual stack, and the cluster has one service range`;
  problems.error('no-dual-stack', message, draft.position, 'Give cluster.serviceCIDR one range of each family');
}
