import type { IpAddress } from '../../net/ip.ts';
import type { HostName } from '../../kernel/host.ts';
import type { Cluster, Pod } from '../../kubernetes/model/cluster.ts';
import { findExternal, findNode, findPod, findWorkloadPod, formatEndpoint, holderOf } from './lookup.ts';
import { parseRef } from './parse.ts';
import { found, refused } from './ref.ts';
import type { Ref, Result } from './ref.ts';

/** Where a connection starts. */
export interface Source {
  /** "pod/default/client", "node/node-1", "external/laptop". */
  readonly label: string;
  /** The namespace of the process: a hostNetwork pod's is its node. */
  readonly host: HostName;
  /** Whose process it is. */
  readonly owner: string;
  readonly addresses: readonly IpAddress[];
  /** An address the reference itself asks to bind to. */
  readonly bind: IpAddress | null;
  readonly pod: Pod | null;
  readonly assumptions: readonly string[];
}

/** Resolves `from`: pod/…, node/…, external/…, deploy/… (a pod of it), or the address of a known host. */
export function resolveSource(cluster: Cluster, text: string, namespace: string): Result<Source> {
  const parsed = parseRef(text);
  if (!parsed.ok) return parsed;
  const ref = parsed.value;
  if (ref.form !== 'url' && ref.port !== null) return refused(`"${text}": a source takes no port here; give it as source port`);
  switch (ref.form) {
    case 'url':
      return refused(`"${text}": a URL can't open a connection`);
    case 'dns':
      return unknownName(cluster, ref.name, namespace);
    case 'address':
      return sourceOfAddress(cluster, ref.address);
    case 'object':
      return sourceOfObject(cluster, ref, namespace);
  }
}

function sourceOfObject(cluster: Cluster, ref: Extract<Ref, { form: 'object' }>, defaultNamespace: string): Result<Source> {
  const namespace = ref.namespace ?? defaultNamespace;
  switch (ref.kind) {
    case 'pod': {
      const pod = findPod(cluster, namespace, ref.name);
      return pod.ok ? found(podSource(pod.value)) : pod;
    }
    case 'node': {
      const node = findNode(cluster, ref.name);
      return node.ok ? found(hostSource(`node/${ref.name}`, node.value.addresses)) : node;
    }
    case 'external': {
      const external = findExternal(cluster, ref.name);
      return external.ok ? found(hostSource(`external/${ref.name}`, external.value.addresses)) : external;
    }
    case 'svc':
      return refused(`svc/${namespace}/${ref.name} can't open a connection: a Service has no process; name one of its pods`);
    case 'deploy':
    case 'sts':
    case 'ds':
    case 'rs': {
      const picked = findWorkloadPod(cluster, ref.kind, namespace, ref.name);
      if (!picked.ok) return picked;
      const { pod, of } = picked.value;
      const note = `${ref.kind}/${ref.name}: pod/${pod.namespace}/${pod.name} was taken, the first of ${of}`;
      return found({ ...podSource(pod), assumptions: of > 1 ? [note] : [] });
    }
  }
}

function sourceOfAddress(cluster: Cluster, address: IpAddress): Result<Source> {
  const holder = holderOf(cluster, address);
  if (!holder)
    return refused(`nobody in this scenario has the address ${formatEndpoint(address, null)}; declare it under external`);
  switch (holder.kind) {
    case 'pod':
      return found(boundTo(podSource(holder.pod), address));
    case 'node':
      return found({
        ...hostSource(`node/${holder.node.name}`, holder.node.addresses),
        bind: address === holder.node.addresses[0] ? null : address,
      });
    case 'external':
      return found(boundTo(hostSource(`external/${holder.external.name}`, holder.external.addresses), address));
  }
}

/** Named by an address other than its first: the connection is made from that one, and so in its family. */
function boundTo(source: Source, address: IpAddress): Source {
  return address === source.addresses[0] ? source : { ...source, bind: address };
}

function unknownName(cluster: Cluster, name: string, namespace: string): Result<Source> {
  const pod = cluster.pods.find((p) => p.name === name && p.namespace === namespace) ?? cluster.pods.find((p) => p.name === name);
  if (pod) return refused(`"${name}" has no kind; did you mean pod/${pod.namespace}/${pod.name}?`);
  if (cluster.nodes.some((n) => n.name === name)) return refused(`"${name}" has no kind; did you mean node/${name}?`);
  if (cluster.externals.some((e) => e.name === name)) return refused(`"${name}" has no kind; did you mean external/${name}?`);
  return refused(`"${name}" has no kind: write pod/${name}, node/${name} or external/${name}`);
}

/** Name of the namespace a pod's processes run in. */
export function podHost(pod: Pod): HostName {
  return pod.hostNetwork ? `node/${pod.node}` : `pod/${pod.namespace}/${pod.name}`;
}

function podSource(pod: Pod): Source {
  const label = `pod/${pod.namespace}/${pod.name}`;
  return { label, host: podHost(pod), owner: label, addresses: pod.addresses, bind: null, pod, assumptions: [] };
}

function hostSource(label: string, addresses: readonly IpAddress[]): Source {
  return { label, host: label, owner: label, addresses, bind: null, pod: null, assumptions: [] };
}
