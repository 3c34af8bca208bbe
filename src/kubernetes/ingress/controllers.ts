import type { Cluster, Pod } from '../model/cluster.ts';
import { hasLabels, implementationOf } from './implementations.ts';
import type { ControllerImplementation } from './implementations.ts';

/** A set of pods that serve Ingresses. */
export interface IngressController {
  /** "ingress-nginx"; "ingress" for one that is known by the scenario's selector alone. */
  readonly name: string;
  readonly namespace: string;
  readonly implementation: ControllerImplementation | null;
  /** IngressClasses that are its own, by name. */
  readonly classes: readonly string[];
  /** Those that are not on their way out, in the order of the file. */
  readonly pods: readonly Pod[];
  /** Where its containers listen for HTTP and HTTPS. */
  readonly ports: ControllerPorts;
}

/** Port numbers for HTTP and HTTPS; null: there is none. */
export interface ControllerPorts {
  readonly http: number | null;
  readonly https: number | null;
}

/**
 * The ingress controllers of a cluster: the pods that the scenario's `ingress.controller` selects, else those with the usual labels
 * of a known controller, one controller for each namespace that they are in.
 */
export function controllersOf(cluster: Cluster): readonly IngressController[] {
  const selector = cluster.ingressSettings.controller;
  const groups = new Map<string, { readonly implementation: ControllerImplementation | null; readonly pods: Pod[] }>();
  for (const pod of cluster.pods) {
    if (pod.terminating) continue;
    if (selector !== null) {
      if (selector.namespace !== null && selector.namespace !== pod.namespace) continue;
      if (!hasLabels(pod.labels, selector.labels)) continue;
    }
    const implementation = implementationOf(pod.labels) ?? null;
    if (selector === null && implementation === null) continue;
    const key = selector === null ? `${pod.namespace}/${implementation?.name}` : '';
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { implementation, pods: [pod] });
    else group.pods.push(pod);
  }
  return [...groups.values()].map(({ implementation, pods }) => ({
    name: implementation?.name ?? 'ingress',
    namespace: pods[0]?.namespace ?? '',
    implementation,
    classes: classesOf(cluster, implementation),
    pods,
    ports: portsOf(pods),
  }));
}

/** The class that the scenario names, else those whose controller it is; one of no known kind serves all there are. */
function classesOf({ ingressClasses, ingressSettings }: Cluster, implementation: ControllerImplementation | null): string[] {
  if (ingressSettings.className !== null) return [ingressSettings.className];
  return ingressClasses
    .filter(({ controller }) => implementation === null || implementation.controllers.includes(controller))
    .map(({ name }) => name);
}

const PORT_NAMES = { http: ['http', 'web'], https: ['https', 'websecure'] } as const;
const PORT_NUMBERS = { http: 80, https: 443 } as const;

/** The ports that the first pod declares; one that declares none is taken to listen on 80 and 443. */
function portsOf(pods: readonly Pod[]): ControllerPorts {
  const declared = pods[0]?.ports.filter(({ protocol, listens }) => protocol === 'tcp' && listens) ?? [];
  if (pods[0]?.ports.length === 0) return PORT_NUMBERS;
  return { http: portFor(declared, 'http')?.port ?? null, https: portFor(declared, 'https')?.port ?? null };
}

/** Among ports of a pod or a service the one for HTTP or HTTPS: by its name, else by its number. */
export function portFor<T extends { readonly name: string; readonly port: number }>(
  ports: readonly T[],
  scheme: 'http' | 'https',
): T | undefined {
  const names: readonly string[] = PORT_NAMES[scheme];
  return ports.find(({ name }) => names.includes(name)) ?? ports.find(({ port }) => port === PORT_NUMBERS[scheme]);
}
