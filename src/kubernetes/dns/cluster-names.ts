import type { Cluster } from '../model/cluster.ts';

/** A name below the cluster's zone, taken apart as CoreDNS' kubernetes plugin does (`parseRequest`). */
export type ClusterName =
  /** The zone, "svc", "pod" or a namespace below them: there, but without records. */
  | { readonly kind: 'parent'; readonly namespace: string | null }
  | { readonly kind: 'pod'; readonly namespace: string; readonly label: string }
  | {
      readonly kind: 'service';
      readonly namespace: string;
      readonly service: string;
      /** The label before the service: an endpoint's name. */
      readonly endpoint: string | null;
      /** The two labels before the service, without their underscores. */
      readonly port: string | null;
      readonly protocol: string | null;
    };

/** Takes apart what stands before the zone in a canonical name; null where the zone knows no such form. */
export function parseClusterName(base: string): ClusterName | null {
  if (base === '') return { kind: 'parent', namespace: null };
  const labels = base.split('.').reverse();
  const [top, namespace, service, ...rest] = labels;
  if (top !== 'svc' && top !== 'pod') return null;
  if (namespace === undefined) return { kind: 'parent', namespace: null };
  if (service === undefined) return { kind: 'parent', namespace };
  if (rest.length > 2) return null;
  const [first, second] = rest;
  // Labels before a pod's are passed over.
  if (top === 'pod') return { kind: 'pod', namespace, label: service };
  if (first === undefined) return { kind: 'service', namespace, service, endpoint: null, port: null, protocol: null };
  if (second === undefined) return { kind: 'service', namespace, service, endpoint: first, port: null, protocol: null };
  return { kind: 'service', namespace, service, endpoint: null, port: bare(second), protocol: bare(first) };
}

function bare(label: string): string {
  return label.startsWith('_') ? label.slice(1) : label;
}

/** Namespaces that every cluster has. */
const OWN_NAMESPACES: readonly string[] = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** Is there such a namespace? One that some object is in, or that every cluster has; objects of kind Namespace are not read. */
export function hasNamespace(cluster: Cluster, namespace: string): boolean {
  const isIn = (object: { readonly namespace: string }): boolean => object.namespace.toLowerCase() === namespace;
  return (
    OWN_NAMESPACES.includes(namespace) ||
    cluster.services.some(isIn) ||
    cluster.pods.some(isIn) ||
    cluster.workloads.some(isIn) ||
    cluster.ingresses.some(isIn)
  );
}
