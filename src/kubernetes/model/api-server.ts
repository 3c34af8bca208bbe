import type { Node, Pod } from './cluster.ts';

/** The API server's own service, which it makes and points at itself without a selector. */
export const API_SERVICE = 'default/kubernetes';

/** The static pod of the API server, as kubeadm labels and names it, among pods of one node. */
export function apiServerPod(pods: readonly Pod[]): Pod | undefined {
  return pods.find(
    ({ namespace, name, labels }) =>
      namespace === 'kube-system' && (labels.component === 'kube-apiserver' || name.startsWith('kube-apiserver-')),
  );
}

const CONTROL_PLANE_LABELS = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

/** Where the API server runs: the first control-plane node, else the first node. */
export function apiServerNode(nodes: readonly Node[]): Node | undefined {
  return nodes.find(({ labels }) => CONTROL_PLANE_LABELS.some((label) => label in labels)) ?? nodes[0];
}
