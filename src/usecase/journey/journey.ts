import type { ConnectionRequest } from '../../kernel/walk/connection.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import { FIRST_SOURCE_PORT, planConnection } from '../plan.ts';
import { pendingService } from '../balancer/pending.ts';
import type { Pending } from '../balancer/pending.ts';
import { planKubectl } from './kubectl.ts';
import type { Plan } from '../plan.ts';
import type { Question } from '../question.ts';
import { found, refused } from '../refs/ref.ts';
import type { Result } from '../refs/ref.ts';
import { parseIp } from '../../net/ip.ts';
import { parseRef, URL_START } from '../refs/parse.ts';
import { parseUrl } from './http.ts';
import type { HttpRequest } from './http.ts';
import { planNamed } from './named.ts';
import type { Named } from './named.ts';
import { passedOn } from './passed-on.ts';
import { afterwards, connectTo, end } from './step.ts';
import type { Start, Step } from './step.ts';

/** All connections that a question leads to, as a story that unfolds. */
export interface Journey {
  readonly start: Start;
  /** "pod/default/client" */
  readonly from: string;
  /** As it is told: "svc/default/web:80", "web.shop:80". */
  readonly to: string;
  readonly protocol: string;
  readonly assumptions: readonly string[];
  /** Whose sockets are bound to an address that the question names. */
  readonly bound: readonly Pick<ConnectionRequest, 'host' | 'sourceAddress'>[];
}

/** Plans what a question asks for, and what is made before it; what can't be looked up is refused. */
export function planJourney(cluster: Cluster, question: Question): Result<Journey> {
  const { before, firstSourcePort = FIRST_SOURCE_PORT } = question;
  const earlier: Journey[] = [];
  for (const [index, probe] of before.entries()) {
    // Without a source port of their own they get those behind the asked one's, as a real kernel might.
    const own = { ...question, probe, before: [], noReply: false, firstSourcePort: firstSourcePort + 1 + index };
    const journey = planAlone(cluster, own);
    if (!journey.ok) return refused(`before ${index + 1}: ${journey.message}`);
    earlier.push(journey.value);
  }
  const asked = planAlone(cluster, question);
  if (!asked.ok) return asked;
  return found({
    ...asked.value,
    start: afterwards(
      earlier.map(({ start }) => start),
      asked.value.start,
    ),
    bound: [...earlier, asked.value].flatMap(({ bound }) => bound),
  });
}

function planAlone(cluster: Cluster, question: Question): Result<Journey> {
  const { probe, firstSourcePort = FIRST_SOURCE_PORT } = question;
  if (probe.via !== null) return kubectlJourney(cluster, question);
  if (URL_START.test(probe.to)) {
    if (parseUrl(probe.to) === null)
      return refused(`"${probe.to}" is no URL that can be followed: http:// or https://, a host, a port from 1 to 65535 if any`);
    if (probe.protocol !== null && probe.protocol !== 'tcp') return refused(`a URL is asked for over TCP, not ${probe.protocol}`);
  }
  const named = nameOf(cluster, probe.to, question.namespace);
  if (named !== null) return planNamed(cluster, question, named);
  const url = parseUrl(probe.to);
  const to = url === null ? probe.to : formatHost(url);
  const pending = pendingService(cluster, probe, question.namespace);
  if (pending !== null) return pending.ok ? found(nowhere(pending.value)) : pending;
  const planned = planConnection(cluster, { ...probe, to }, { ...question, defaultSourcePort: firstSourcePort });
  if (!planned.ok) return planned;
  const journey = direct(passedOn(cluster, planned.value, 'asked', url));
  return found(url === null ? journey : { ...journey, to: probe.to });
}

/** A destination that has to be looked up; null for all others. */
function nameOf(cluster: Cluster, to: string, namespace: string): Named | null {
  const parsed = parseRef(to);
  if (!parsed.ok) return null;
  const ref = parsed.value;
  if (ref.form === 'dns') return { name: ref.name, port: ref.port, http: null, text: to };
  if (ref.form === 'object' && ref.kind === 'svc')
    return addresslessService(cluster, ref.namespace ?? namespace, ref.name, ref.port);
  const http = ref.form === 'url' ? parseUrl(to) : null;
  return http === null || parseIp(http.host) !== null ? null : { name: http.host, port: String(http.port), http, text: to };
}

/** A headless or ExternalName service has no address of its own: its name leads to where it stands for. */
function addresslessService(cluster: Cluster, namespace: string, name: string, port: string | null): Named | null {
  const service = cluster.services.find((each) => each.namespace === namespace && each.name === name);
  if (service === undefined || (service.clusterIps.length > 0 && service.type !== 'ExternalName')) return null;
  // The last dot spares the search list.
  return { name: `${name}.${namespace}.svc.${cluster.dnsDomain}.`, port, http: null, text: `svc/${namespace}/${name}` };
}

function formatHost({ host, port }: HttpRequest): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** No connection is made. */
function nowhere({ source, label, protocol, cause }: Pending): Journey {
  const start: Start = () => end({ verdict: 'unresolved', cause });
  return { start, from: source.label, to: label, protocol, assumptions: source.assumptions, bound: [] };
}

function kubectlJourney(cluster: Cluster, question: Question): Result<Journey> {
  const { probe, namespace, noReply, firstSourcePort = FIRST_SOURCE_PORT } = question;
  if (cluster.cni.plugin === 'docker') return refused(`--via ${probe.via}: Docker's containers have no API server`);
  const planned = planKubectl(cluster, probe, { namespace, noReply, sourcePort: firstSourcePort });
  if (!planned.ok) return planned;
  const { start, source, label, assumptions, asked } = planned.value;
  return found({
    start,
    from: source.label,
    to: `${label} via ${probe.via}`,
    protocol: 'tcp',
    assumptions,
    bound: [asked.request],
  });
}

/** One more packet of a connection that stands. */
export function continuedJourney(plan: Plan): Journey {
  return { ...direct({ ...plan, purpose: 'asked', text: null, next: () => end() }), bound: [] };
}

function direct(asked: Step): Journey {
  const { source, destination, request } = asked;
  return {
    start: () => connectTo(asked),
    from: source.label,
    to: destination.label,
    protocol: request.protocol,
    assumptions: [...new Set([...source.assumptions, ...destination.assumptions])],
    bound: [request],
  };
}
