import type { Service } from '../../kubernetes/model/cluster.ts';
import { isIpv4Cidr } from '../../net/cidr.ts';
import type { Cidr } from '../../net/cidr.ts';
import { familyOf } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { ServiceDraft } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';
import { ClusterIpAllocator, NodePortAllocator } from './service-allocators.ts';

/** The API server's default of sessionAffinityConfig.clientIP.timeoutSeconds. */
const DEFAULT_AFFINITY_SECONDS = 10800;

/** Services with the API server's defaults, cluster IPs and node ports; those in `retired` are not handed out. */
export function resolveServices(
  drafts: readonly ServiceDraft[],
  serviceCidrs: readonly Cidr[],
  problems: Problems,
  retired: ReadonlySet<IpAddress>,
): readonly Service[] {
  const ips = new ClusterIpAllocator(serviceCidrs, [...retired, ...drafts.flatMap((d) => d.clusterIps ?? [])]);
  const nodePorts = new NodePortAllocator(drafts);
  return drafts.map((draft) => resolveService(draft, serviceCidrs, ips, nodePorts, problems));
}

function resolveService(
  draft: ServiceDraft,
  serviceCidrs: readonly Cidr[],
  ips: ClusterIpAllocator,
  nodePorts: NodePortAllocator,
  problems: Problems,
): Service {
  const type = draft.type ?? 'ClusterIP';
  const headless = draft.headless ?? false;
  const hasClusterIp = type !== 'ExternalName' && !headless;
  const clusterIps = !hasClusterIp ? [] : (pairFamilies(draft) ?? allotClusterIps(draft, serviceCidrs, ips, problems));
  const external = (draft.externalTrafficPolicy ?? 'Cluster') === 'Local';
  const selector = draft.selector !== undefined && Object.keys(draft.selector).length > 0 ? draft.selector : null;
  return {
    namespace: draft.namespace,
    name: draft.name,
    type,
    clusterIps,
    headless,
    ipFamilies: draft.ipFamilies ?? (clusterIps.length > 0 ? clusterIps.map(familyOf) : defaultFamilies(draft, serviceCidrs)),
    ports: nodePorts.portsOf(draft),
    selector,
    externalIps: draft.externalIps ?? [],
    loadBalancerIngress: draft.loadBalancerIngress ?? [],
    loadBalancerSourceRanges: draft.loadBalancerSourceRanges ?? [],
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

/** Families of a service that names none: those of the service ranges that its policy asks for. */
function defaultFamilies(draft: ServiceDraft, serviceCidrs: readonly Cidr[]): readonly (4 | 6)[] {
  const families = serviceCidrs.map((cidr) => (isIpv4Cidr(cidr) ? 4 : 6));
  const dual = draft.ipFamilyPolicy === 'PreferDualStack' || draft.ipFamilyPolicy === 'RequireDualStack';
  return dual ? families : families.slice(0, 1);
}

function allotClusterIps(
  draft: ServiceDraft,
  serviceCidrs: readonly Cidr[],
  ips: ClusterIpAllocator,
  problems: Problems,
): readonly IpAddress[] {
  const out: IpAddress[] = [];
  for (const family of draft.ipFamilies ?? defaultFamilies(draft, serviceCidrs)) {
    const ip = ips.next(family, `${draft.namespace}/${draft.name}`);
    if (ip !== null) out.push(ip);
    else {
      const message = `The service range has no IPv${family} address for service ${draft.namespace}/${draft.name}`;
      problems.error('range-exhausted', message, draft.position, 'Give "clusterIP", or a wider cluster.serviceCIDR');
    }
  }
  return out;
}
