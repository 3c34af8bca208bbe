import type { Cluster } from './cluster.ts';

/** What is to be said where the cluster's kube-proxy has no such mode (k/k releases 1.26, 1.29); null where it has. */
export function unsupportedMode({ kubeProxy: { mode }, kubernetesVersion: { major, minor } }: Cluster): string | null {
  const release = `kube-proxy ${major}.${minor}`;
  if (mode === 'userspace' && (major > 1 || minor >= 26)) return `${release} has no mode userspace, which was removed in 1.26`;
  if (mode === 'nftables' && major === 1 && minor < 29) return `${release} has no mode nftables, which came with 1.29`;
  return null;
}
