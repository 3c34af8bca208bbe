import type { SourcePosition } from '../../kubernetes/model/cluster.ts';
import type { PodDraft, PortDraft } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';

/** Two processes that listen on one port of one namespace: of a pod, or of the node that hostNetwork pods share. */
export function validateListeners(pods: readonly PodDraft[], problems: Problems): void {
  const ofNodes = new Map<string, Map<string, { readonly pod: string; readonly process: number }>>();
  const hostPorts = new Map<string, string>();
  for (const pod of pods) {
    if (pod.ports === undefined) continue;
    const name = `${pod.namespace}/${pod.name}`;
    const node = pod.node ?? '';
    const table = pod.hostNetwork === true ? (ofNodes.get(node) ?? new Map()) : new Map();
    if (pod.hostNetwork === true) ofNodes.set(node, table);
    for (const port of pod.ports) {
      if (port.listens) listen(table, name, port, pod.hostNetwork === true ? node : null, problems);
      if (port.hostPort !== null) checkHostPort(hostPorts, name, node, pod, port, problems);
    }
  }
}

function listen(
  table: Map<string, { readonly pod: string; readonly process: number }>,
  pod: string,
  port: PortDraft,
  node: string | null,
  problems: Problems,
): void {
  const key = `${port.protocol}/${port.port}`;
  const other = table.get(key);
  if (other === undefined) table.set(key, { pod, process: port.process });
  else if (other.pod !== pod) {
    const message = `Pods ${other.pod} and ${pod} share the network of node ${node} and both listen on ${key}`;
    problems.error('duplicate-listener', message, port.position);
  } else if (other.process !== port.process) {
    problems.error('duplicate-listener', `Two listeners on ${key} of pod ${pod}`, port.position);
  }
}

function checkHostPort(taken: Map<string, string>, name: string, node: string, pod: PodDraft, port: PortDraft, problems: Problems): void {
  const position: SourcePosition = port.position;
  if (pod.hostNetwork === true && port.hostPort !== port.port) {
    const message = `Pod ${name} has hostNetwork: its hostPort ${port.hostPort} must be its containerPort ${port.port}`;
    problems.error('wrong-value', message, position);
    return;
  }
  if (pod.hostNetwork === true) return;
  const key = `${node} ${port.protocol}/${port.hostPort} ${port.hostIp ?? ''}`;
  const other = taken.get(key);
  if (other !== undefined && other !== name) {
    problems.warning('duplicate-host-port', `Pods ${other} and ${name} both want hostPort ${port.hostPort} of node ${node}`, position);
  }
  taken.set(key, name);
}
