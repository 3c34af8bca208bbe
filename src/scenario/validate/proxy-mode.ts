import { unsupportedMode } from '../../kubernetes/model/proxy-mode.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { Drafts } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';

/** Suspicious: a mode that kube-proxy of this version does not have. */
export function validateProxyMode(cluster: Cluster, drafts: Drafts, problems: Problems): void {
  const message = unsupportedMode(cluster);
  if (message === null) return;
  const { position } = drafts.kubeProxy ?? drafts.kubeProxyObject ?? { position: null };
  problems.warning('proxy-mode', message, position, 'cluster.kubernetesVersion says which release it is');
}
