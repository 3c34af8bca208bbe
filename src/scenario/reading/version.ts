import type { KubernetesVersion } from '../../kubernetes/model/cluster.ts';

/** What a cluster runs that says nothing. */
export const DEFAULT_VERSION: KubernetesVersion = { major: 1, minor: 34 };

/** Why a release may behave otherwise than k8snet says; null: nothing is known against it. */
export function doubtAboutVersion({ major, minor }: KubernetesVersion): string | null {
  if (major !== 1) return 'there is no such release of Kubernetes';
  if (minor < OLDEST_MINOR) return `k8snet knows releases from 1.${OLDEST_MINOR} on`;
  return minor > NEWEST_MINOR ? `k8snet knows releases up to 1.${NEWEST_MINOR}` : null;
}

/** kube-proxy has read EndpointSlices alone since this release. */
const OLDEST_MINOR = 22;
const NEWEST_MINOR = 36;

/** "1.30", "v1.30.5", "v1.30.5+k3s1"; null for anything else. */
export function parseVersion(text: string): KubernetesVersion | null {
  const match = /^v?(\d{1,3})\.(\d{1,4})(?:[.+-].*)?$/.exec(text);
  return match === null ? null : { major: Number(match[1]), minor: Number(match[2]) };
}
