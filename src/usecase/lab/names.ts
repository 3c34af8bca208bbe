import type { HostName } from '../../kernel/host.ts';
import type { World } from '../../kernel/world.ts';

/** What every namespace of every lab begins with. */
export const LAB_PREFIX = 'k8snet-';

/** A lab's name: the prefix and a few characters that tell labs apart. */
export type LabName = string;

/** `/run/netns` holds a file for each namespace: file names have at most 255 bytes. */
const NAME_MAX = 200;

/** Name of a lab from a digest (hexadecimal) of what it is made from. */
export function labName(digest: string): LabName {
  return `${LAB_PREFIX}${digest.slice(0, 6)}`;
}

/** Does a namespace belong to this lab? */
export function belongsTo(lab: LabName, namespace: string): boolean {
  return namespace.startsWith(`${lab}-`);
}

/** The lab that a namespace belongs to; null for foreign ones. */
export function labOf(namespace: string): LabName | null {
  return /^k8snet-[0-9a-z]+(?=-)/.exec(namespace)?.[0] ?? null;
}

/** Namespaces of a lab by host: "k8snet-1a2b3c-node-node-1", "k8snet-1a2b3c-pod-default-web-1". */
export function namespaceNames(lab: LabName, world: World): ReadonlyMap<HostName, string> {
  const names = new Map<HostName, string>();
  const taken = new Set<string>();
  for (const host of world.hostNames()) {
    const plain = `${lab}-${host.replace(/[^A-Za-z0-9.]+/g, '-')}`.slice(0, NAME_MAX);
    let name = plain;
    for (let n = 2; taken.has(name); n++) name = `${plain}-${n}`;
    taken.add(name);
    names.set(host, name);
  }
  return names;
}
