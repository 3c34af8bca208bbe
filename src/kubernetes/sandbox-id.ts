import { hash } from 'node:crypto';
import { sha1Hex } from '../support/digest.ts';
import type { Pod } from './model/cluster.ts';

/** Name of the CNI network in flannel's and kubelet's configurations. */
export const NETWORK_NAME = 'cbr0';

/** Id of a pod's sandbox, which a runtime draws at random: 48 zeros and 16 hex digits of sha1("namespace/name"). */
export function sandboxId(pod: Pick<Pod, 'namespace' | 'name'>): string {
  return '0'.repeat(48) + sha1Hex(`${pod.namespace}/${pod.name}`).slice(0, 16);
}

/** Chain of a pod as the CNI plugins name it: a prefix and sha512(network name + sandbox id), 28 characters in all. */
export function podChain(prefix: 'CNI-' | 'CNI-DN-', pod: Pick<Pod, 'namespace' | 'name'>, network = NETWORK_NAME): string {
  return (prefix + hash('sha512', network + sandboxId(pod))).slice(0, 28);
}

/** `name: "cbr0" id: "…"`, quoted for a rule (utils.FormatComment of the CNI plugins). */
export function podComment(pod: Pick<Pod, 'namespace' | 'name'>, network = NETWORK_NAME): string {
  return `name: \\"${network}\\" id: \\"${sandboxId(pod)}\\"`;
}
