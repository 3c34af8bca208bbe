import type { PodDraft, PortDraft } from '../drafts.ts';
import type { Problems } from '../reading/problems.ts';

/** Two processes that listen on one port of one namespace: of a pod, or of the node that hostNetwork pods share. */
export function validateListeners(pods: readonly PodDraft[], problems: Problems): void {
  const ofNodes = new Map<string, Listener[]>();
  const hostPorts = new Map<string, PodDraft>();
  for (const pod of pods) {
    if (pod.ports === undefined) continue;
    const listeners = pod.hostNetwork === true ? (ofNodes.get(pod.node ?? '') ?? []) : [];
    if (pod.hostNetwork === true) ofNodes.set(pod.node ?? '', listeners);
    for (const port of pod.ports) {
      if (port.listens && (pod.hostNetwork === true || pod.ports.length > 1)) listen(listeners, pod, port, problems);
      if (port.hostPort !== null) checkHostPort(hostPorts, pod, port, problems);
    }
  }
}

interface Listener {
  readonly pod: PodDraft;
  readonly port: PortDraft;
}

function listen(listeners: Listener[], pod: PodDraft, port: PortDraft, problems: Problems): void {
  const other = listeners.find((l) => l.port.port === port.port && l.port.protocol === port.protocol);
  if (other === undefined) {
    listeners.push({ pod, port });
    return;
  }
  const where = `${port.protocol} port ${port.port}`;
  const position = port.position ?? pod.position;
  if (other.pod !== pod) {
    const message = `Pods ${nameOf(other.pod)} and ${nameOf(pod)} share the network of node ${pod.node} and both listen on ${where}`;
    problems.error('duplicate-listener', message, position);
  } else if (other.port.process !== port.process) {
    problems.error('duplicate-listener', `Two listeners on ${where} of pod ${nameOf(pod)}`, position);
  }
}

function checkHostPort(taken: Map<string, PodDraft>, pod: PodDraft, port: PortDraft, problems: Problems): void {
  const position = port.position ?? pod.position;
  if (pod.hostNetwork === true) {
    // The API server's rule; with hostNetwork no DNAT is made.
    if (port.hostPort === port.port) return;
    const message = `Pod ${nameOf(pod)} has hostNetwork: its hostPort ${port.hostPort} must be its containerPort ${port.port}`;
    problems.error('wrong-value', message, position);
    return;
  }
  const key = `${pod.node} ${port.protocol}/${port.hostPort} ${port.hostIp ?? ''}`;
  const other = taken.get(key);
  if (other !== undefined && other !== pod) {
    const message = `Pods ${nameOf(other)} and ${nameOf(pod)} both want hostPort ${port.hostPort} of node ${pod.node}`;
    problems.warning('duplicate-host-port', message, position);
  }
  taken.set(key, pod);
}

function nameOf(pod: PodDraft): string {
  return `${pod.namespace}/${pod.name}`;
}
