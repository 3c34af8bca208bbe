import { formatCidr } from '../../net/cidr.ts';
import { indexCluster } from '../../kubernetes/cluster-index.ts';
import { API_VERSION } from '../../trace/trace.ts';
import { cniName } from '../cni-name.ts';
import { openLaboratory, problem } from '../laboratory.ts';
import { findNode } from '../refs/lookup.ts';
import { nodeOf } from './node.ts';
import { overlaysOf } from './overlays.ts';
import { externalsOf, topologyBalancers, underlayOf } from './underlay.ts';
import type { Cluster, Node } from '../../kubernetes/model/cluster.ts';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import type { Topology, TopologyCluster } from '../../trace/topology.ts';
import type { Engine } from '../laboratory.ts';

export interface TopologyQuestion {
  /** The node that is asked for ("node-1", "node/node-1"); null: the whole cluster. */
  readonly node: string | null;
  /** So many nodes of a whole cluster are listed, so many of them in detail; null: all, in detail where they are at most 50. */
  readonly limit?: { readonly nodes: number; readonly detailed: number } | null;
}

export type TopologyResult =
  | { readonly ok: true; readonly topology: Topology }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Each node of a large cluster has routes to all others, and rules for all services: what all have together grows with the square. */
const DETAILED_NODES = 50;

/**
 * The network of a cluster, or of one node of it, after its controllers and the commands of its hosts have run. Fails for a node that there is
 * not, and for commands that are refused.
 */
export function topologyOf(cluster: Cluster, { node: name, limit = null }: TopologyQuestion, engine: Engine): TopologyResult {
  const asked = name === null ? null : findNode(cluster, name.replace(/^(node|nodes|no)\//, ''));
  if (asked !== null && !asked.ok) return { ok: false, diagnostics: [problem('unknown-host', asked.message, null)] };
  const opened = openLaboratory(cluster, {}, engine);
  if (!opened.ok) return opened;
  const { world } = opened.laboratory;
  const wanted: readonly Node[] = asked === null ? cluster.nodes.slice(0, limit?.nodes) : [asked.value];
  const detailed = asked !== null ? 1 : (limit?.detailed ?? (wanted.length <= DETAILED_NODES ? wanted.length : 0));
  const index = indexCluster(cluster);
  const nodes = wanted.map((node, i) => nodeOf(node, index.podsOf(node.name), cluster, world, i < detailed));
  const underlay = underlayOf(cluster, world);
  return {
    ok: true,
    topology: {
      apiVersion: API_VERSION,
      kind: 'Topology',
      cluster: clusterOf(cluster),
      underlay,
      overlays: overlaysOf(nodes),
      nodes,
      externals: externalsOf(cluster, world, underlay.networks),
      balancers: topologyBalancers(cluster),
    },
  };
}

function clusterOf(cluster: Cluster): TopologyCluster {
  const { kubernetesVersion, cni, kubeProxy, podCidrs, serviceCidrs, nodes, pods, services } = cluster;
  return {
    name: cluster.name,
    kubernetesVersion: `${kubernetesVersion.major}.${kubernetesVersion.minor}`,
    cni: cniName(cni),
    proxyMode: kubeProxy.mode,
    podCidrs: podCidrs.map(formatCidr),
    serviceCidrs: serviceCidrs.map(formatCidr),
    nodes: nodes.length,
    pods: pods.length,
    services: services.length,
  };
}
