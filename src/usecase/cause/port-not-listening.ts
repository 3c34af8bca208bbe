import type { Cluster, Pod, Service } from '../../kubernetes/model/cluster.ts';
import type { PacketView } from '../../trace/event.ts';
import type { Cause } from '../../trace/outcome.ts';
import { isLoopback } from '../../kernel/routing/output.ts';
import { causeAt, describeRule, packetAt } from './evidence.ts';
import type { Diagnose, Evidence, Site } from './evidence.ts';
import { serviceOfDestination } from '../refs/service.ts';

/** port-not-listening: the packet came to its address, and no socket is there. */
export const portNotListening: Diagnose = (evidence, site) => {
  if (site.drop?.reason !== 'NO_SOCKET' || site.part !== 'request') return null;
  const packet = packetAt(site);
  const where = packet?.dport === undefined ? 'that port' : `port ${packet.dport}/${packet.protocol}`;
  const pod = podOf(evidence.cluster, site.host);
  const sentence = `nothing listens on ${where} of ${site.host}${sentBy(site)}`;
  if (!pod) return onOtherHost(evidence, site, sentence, packet);
  const declared = pod.ports.filter((port) => port.listens).map((port) => `${port.port}/${port.protocol}`);
  const silent = pod.ports.some((p) => !p.listens && p.port === packet?.dport && p.protocol === packet.protocol);
  const instead = declared.length > 0 ? `it listens on ${declared.join(', ')}` : 'it listens on no port';
  const text = `${sentence}: ${silent ? 'it declares the port but no process listens there' : instead}`;
  return causeAt(site, 'port-not-listening', text, targetPortPatch(evidence, pod, packet?.protocol));
};

/** The rule of an operator's that led the packet here. */
function sentBy(site: Site): string {
  const nat = site.events.findLastIndex((e) => e.kind === 'nat' && e.type === 'dnat' && !e.outer);
  const rule = site.events[nat - 1];
  if (rule?.kind !== 'rule' || rule.origin?.by === 'kube-proxy' || rule.chain.startsWith('KUBE-')) return '';
  return `, where ${describeRule(rule)} sent it`;
}

function podOf(cluster: Cluster, host: string): Pod | null {
  return cluster.pods.find((pod) => `pod/${pod.namespace}/${pod.name}` === host) ?? null;
}

/** A service whose targetPort is not what the pod's only port is: the port that would be right. */
function targetPortPatch(evidence: Evidence, pod: Pod, protocol: string | undefined): readonly string[] | null {
  const service = serviceOfDestination(evidence.cluster, evidence.request);
  const right = pod.ports.filter((port) => port.listens && port.protocol === protocol);
  if (!service || service.selector === null || right.length !== 1) return null;
  const index = servicePortIndex(evidence, service);
  if (index < 0) return null;
  const change = [{ op: 'replace', path: `/spec/ports/${index}/targetPort`, value: right[0]!.port }];
  return [`kubectl -n ${service.namespace} patch service ${service.name} --type json -p '${JSON.stringify(change)}'`];
}

function servicePortIndex({ request }: Evidence, service: Service): number {
  return service.ports.findIndex(
    (p) => p.protocol === request.protocol && (p.port === request.port || p.nodePort === request.port),
  );
}

/** On a node: a node port that kube-proxy did not open there, a host port of a pod that is elsewhere, or simply no process. */
function onOtherHost({ cluster, request }: Evidence, site: Site, sentence: string, packet: PacketView | null): Cause {
  const [port, protocol] = [packet?.dport, packet?.protocol];
  const name = site.host.startsWith('node/') ? site.host.slice('node/'.length) : null;
  if (name === null || port === undefined) return causeAt(site, 'port-not-listening', sentence, null);
  const service = cluster.services.find((s) => s.ports.some((p) => p.nodePort === port && p.protocol === protocol));
  if (service) {
    const its = `it is the node port of Service ${service.namespace}/${service.name}`;
    if (cluster.kubeProxy.mode === 'ipvs' && isLoopback(request.destination)) {
      const text = `${sentence}: ${its}, which kube-proxy in mode ipvs opens at the node's other addresses only, as designed`;
      return causeAt(site, 'port-not-listening', text, null);
    }
    const text = `${sentence}: ${its}, but ${cluster.kubeProxy.mode === 'none' ? 'no kube-proxy runs' : "kube-proxy's rules there did not take the packet"}`;
    return causeAt(site, 'port-not-listening', text, null);
  }
  const offers = (pod: Pod): boolean =>
    pod.ports.some((p) => p.protocol === protocol && (p.hostPort === port || (pod.hostNetwork && p.listens && p.port === port)));
  const there = cluster.pods.find(offers);
  const kind = there?.hostNetwork ? 'a port' : 'the host port';
  const text = there ? `${sentence}: it is ${kind} of pod/${there.namespace}/${there.name}, on node/${there.node}` : sentence;
  return causeAt(site, 'port-not-listening', text, null);
}
