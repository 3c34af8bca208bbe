import type { Cluster, KubernetesVersion, ProxyMode } from '../../kubernetes/model/cluster.ts';
import { deriveEndpointSlices } from '../../kubernetes/model/endpoint-slices.ts';
import type { Drafts, PodDraft } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';
import { DEFAULT_VERSION, parseVersion } from '../reading/version.ts';
import { NO_ALLOTMENTS } from './allotments.ts';
import type { Allotments } from './allotments.ts';
import { resolveCni, resolveKubeProxy } from './config.ts';
import { resolveExternalDns } from './external-dns.ts';
import { resolveIngresses, resolveIngressSettings } from './ingresses.ts';
import { assumeListeners } from './listeners.ts';
import { loadBalancerStatuses, resolveLoadBalancer } from './load-balancers.ts';
import { resolveNodes } from './nodes.ts';
import { resolvePods } from './pods.ts';
import { resolveNodeCidrs, resolvePodCidrs, resolveServiceCidrs } from './ranges.ts';
import { resolveServices } from './services.ts';
import { resolveUnderlay } from './underlay.ts';
import { expandWorkloads } from './workloads.ts';

/**
 * Fills in what a real cluster would have filled in (design, section 5, "Defaults"). The same input gives the same cluster. `pods`
 * are the drafts of its pods, those of workloads included. `allotments`: what the scenario's steps before have handed out.
 */
export function resolveCluster(
  drafts: Drafts,
  problems: Problems,
  allotments: Allotments = NO_ALLOTMENTS,
): { readonly cluster: Cluster; readonly pods: readonly PodDraft[] } {
  const cni = resolveCni(drafts.cni);
  const podCidrs = resolvePodCidrs(drafts, cni);
  const serviceCidrs = resolveServiceCidrs(drafts, podCidrs);
  const nodes = resolveNodes(drafts.nodes, resolveNodeCidrs(drafts.nodes, podCidrs, cni, problems), problems);
  const { pods: podDrafts, workloads } = expandWorkloads(drafts, nodes, problems, allotments);
  const given = drafts.slices.map((draft) => draft.slice);
  const pods = resolvePods(podDrafts, nodes, given, problems, allotments);
  const loadBalancer = resolveLoadBalancer(drafts);
  const statusOf = loadBalancerStatuses(drafts, loadBalancer, allotments.retired, problems);
  const services = resolveServices(drafts.services, serviceCidrs, problems, allotments.retired, statusOf);
  const kubernetesVersion = drafts.cluster.kubernetesVersion ?? kubeletVersion(drafts) ?? DEFAULT_VERSION;
  const withEndpoints = new Set(given.map((slice) => `${slice.namespace}/${slice.service}`));
  const endpointSlices = [...given, ...deriveEndpointSlices({ kubernetesVersion, nodes, pods, services }, withEndpoints)];
  const cluster: Cluster = {
    name: drafts.cluster.name ?? 'kubernetes',
    kubernetesVersion,
    podCidrs,
    serviceCidrs,
    dnsDomain: drafts.cluster.dnsDomain ?? 'cluster.local',
    cni,
    kubeProxy: resolveKubeProxy(drafts.kubeProxyObject, drafts.kubeProxy, podCidrs, defaultMode(drafts)),
    underlay: resolveUnderlay(drafts, nodes, problems),
    ...assumeListeners(nodes, pods, endpointSlices),
    services,
    endpointSlices,
    externals: drafts.externals,
    workloads,
    ingresses: resolveIngresses(drafts.ingresses),
    ingressClasses: drafts.ingressClasses,
    ingressSettings: resolveIngressSettings(drafts),
    loadBalancer,
    externalDns: resolveExternalDns(drafts, nodes, problems),
    notModelled: drafts.notModelled,
    ...(drafts.leftOutPods && { leftOutPods: drafts.leftOutPods }),
  };
  return { cluster, pods: podDrafts };
}

/** Hosts of plain Docker have no kube-proxy, unless it is given or there are services for it. */
function defaultMode({ cni, kubeProxyObject, kubeProxy, services }: Drafts): ProxyMode {
  const isPlain = cni?.plugin === 'docker' && kubeProxyObject === undefined && kubeProxy === undefined && services.length === 0;
  return isPlain ? 'none' : 'iptables';
}

/** The first node's kubelet says which release a dump is of. */
function kubeletVersion(drafts: Drafts): KubernetesVersion | null {
  const text = drafts.nodes.find((node) => node.kubeletVersion !== undefined)?.kubeletVersion;
  return text === undefined ? null : parseVersion(text);
}
