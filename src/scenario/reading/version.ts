import type { KubernetesVersion } from '../../kubernetes/model/cluster.ts';

/** "1.30", "v1.30.5", "v1.30.5+k3s1"; null for anything else. */
export function parseVersion(text: string): KubernetesVersion | null {
  const match = /^v?(\d{1,3})\.(\d{1,4})(?:[.+-].*)?$/.exec(text);
  return match === null ? null : { major: Number(match[1]), minor: Number(match[2]) };
}
