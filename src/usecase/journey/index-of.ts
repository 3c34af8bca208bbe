import { indexCluster } from '../../kubernetes/cluster-index.ts';
import type { ClusterIndex } from '../../kubernetes/cluster-index.ts';
import { controllersOf } from '../../kubernetes/ingress/controllers.ts';
import type { IngressController } from '../../kubernetes/ingress/controllers.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';

const INDEXES = new WeakMap<Cluster, ClusterIndex>();
const CONTROLLERS = new WeakMap<Cluster, readonly IngressController[]>();

/** Look-ups in a cluster, made once for each: clusters don't change. */
export function indexOf(cluster: Cluster): ClusterIndex {
  const known = INDEXES.get(cluster) ?? indexCluster(cluster);
  INDEXES.set(cluster, known);
  return known;
}

/** The ingress controllers of a cluster, found once. */
export function ingressControllers(cluster: Cluster): readonly IngressController[] {
  const known = CONTROLLERS.get(cluster) ?? controllersOf(cluster);
  CONTROLLERS.set(cluster, known);
  return known;
}
