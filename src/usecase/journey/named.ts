import { familyOf } from '../../net/ip.ts';
import type { IpAddress } from '../../net/ip.ts';
import type { TransportProtocol } from '../../net/protocol.ts';
import type { Choices } from '../../kernel/walk/choices.ts';
import { answerQuery } from '../../kubernetes/dns/answer-query.ts';
import type { ResolvConf } from '../../kubernetes/dns/resolv-conf.ts';
import { candidateNames } from '../../kubernetes/dns/search.ts';
import { answerOutside } from '../../kubernetes/dns/upstream.ts';
import { addressesOf } from '../../kubernetes/dns/records.ts';
import type { DnsAnswer } from '../../kubernetes/dns/records.ts';
import type { Cluster, Service } from '../../kubernetes/model/cluster.ts';
import { FIRST_SOURCE_PORT, planConnection } from '../plan.ts';
import type { PlanOptions } from '../plan.ts';
import type { Question } from '../question.ts';
import { formatEndpoint } from '../refs/lookup.ts';
import { parsePort } from '../refs/parse.ts';
import { choosePort } from '../refs/port.ts';
import { found, refused } from '../refs/ref.ts';
import type { Result } from '../refs/ref.ts';
import { resolveSource } from '../refs/source.ts';
import type { Source } from '../refs/source.ts';
import type { HttpRequest } from './http.ts';
import type { Journey } from './journey.ts';
import { withIngressHost } from './ingress-hosts.ts';
import { passedOn } from './passed-on.ts';
import { resolve } from './resolve.ts';
import { addressInHostsFile, resolvConfOf } from './resolver.ts';
import type { Resolved } from './resolve.ts';
import { connectTo, end } from './step.ts';
import type { Move, Start } from './step.ts';
import { whyUnresolved } from './unresolved.ts';

/** A destination that is given by name. */
export interface Named {
  readonly name: string;
  /** A number, or the name of a service's port; null: not given. */
  readonly port: string | null;
  /** What is asked for over HTTP; null: nothing. */
  readonly http: HttpRequest | null;
  /** How it was written. */
  readonly text: string;
}

/** What the name's port comes down to before anything is looked up. */
type PortChoice =
  | { readonly kind: 'known'; readonly port: number; readonly protocol: TransportProtocol | 'icmp' }
  | { readonly kind: 'srv'; readonly port: string; readonly protocol: TransportProtocol };

/** A connection to a name: the client looks it up first, and takes one of the addresses that come back. */
export function planNamed(given: Cluster, question: Question, named: Named): Result<Journey> {
  const { cluster, assumptions } = withIngressHost(given, named.name);
  const { probe, namespace } = question;
  const source = resolveSource(cluster, probe.from, namespace);
  if (!source.ok) return source;
  const resolvConf = resolvConfOf(cluster, source.value);
  const known = firstAnswer(cluster, named.name, resolvConf, source.value);
  const port = portOf(cluster, named, known, probe.protocol);
  if (!port.ok) return port;
  // Whatever the name leads to: what else is wrong with the question is wrong now.
  const template = planConnection(cluster, { ...probe, to: ANYWHERE, protocol: port.value.protocol }, planOptions(question));
  if (!template.ok) return template;
  const plan: NamedPlan = { cluster, question, named, source: source.value, port: port.value, resolvConf };
  return found({
    start: startOf(plan),
    from: source.value.label,
    to: named.http === null ? labelOf(named, port.value) : named.text,
    protocol: port.value.protocol,
    assumptions: [...source.value.assumptions, ...assumptions],
    bound: [template.value.request],
  });
}

interface NamedPlan {
  readonly cluster: Cluster;
  readonly question: Question;
  readonly named: Named;
  readonly source: Source;
  readonly port: PortChoice;
  readonly resolvConf: ResolvConf;
}

function startOf(plan: NamedPlan): Start {
  const own = addressInHostsFile(plan.cluster, plan.source, plan.named.name);
  if (own !== null)
    return (choices) => connect(plan, { name: plan.named.name, addresses: [own], port: null, answer: null }, choices);
  const { cluster, source, named, resolvConf, port } = plan;
  if (resolvConf.nameservers.length === 0) return (choices) => outside(plan, choices);
  const service = port.kind === 'srv' ? { port: port.port, protocol: port.protocol } : null;
  const asked = { cluster, source, resolvConf, name: named.name, service };
  return () => resolve(asked, (resolved, choices) => connect(plan, resolved, choices));
}

/** A host whose name servers nobody knows: the DNS of the world answers it, no query is walked. */
function outside(plan: NamedPlan, choices: Choices): Move {
  const { cluster, source, named } = plan;
  const families = [...new Set(source.addresses.map(familyOf))];
  const answers = families.map((family) => answerOutside(cluster.externalDns, named.name, family === 4 ? 'A' : 'AAAA'));
  const answer = answers.find(({ miss }) => miss === null);
  if (!answer) return end({ verdict: 'unresolved', cause: whyUnresolved(cluster, named.name, answers, plan) });
  return connect(plan, { name: named.name, addresses: addressesOf(answer), port: null, answer }, choices);
}

/** The client takes one address of the answer; which one is drawn: servers turn their answers round. */
function connect(plan: NamedPlan, { addresses, port: srvPort, name, answer }: Resolved, choices: Choices): Move {
  const { cluster, question, named, port } = plan;
  const { probe } = question;
  const address = pickAddress(addresses, name, choices);
  if (address === undefined)
    return end({ verdict: 'unresolved', cause: whyUnresolved(cluster, named.name, answer === null ? [] : [answer], plan) });
  const to =
    port.protocol === 'icmp' ? formatEndpoint(address, null) : formatEndpoint(address, port.kind === 'srv' ? srvPort : port.port);
  const planned = planConnection(cluster, { ...probe, to, protocol: port.protocol }, planOptions(question));
  if (!planned.ok) return end({ verdict: 'unresolved', cause: { code: 'unresolved', text: planned.message, remedy: null } });
  const { destination } = planned.value;
  const asked = { ...planned.value, destination: { ...destination, label: labelOf(named, port) } };
  return connectTo(passedOn(cluster, asked, 'asked', named.http));
}

function planOptions({ namespace, noReply, firstSourcePort = FIRST_SOURCE_PORT }: Question): PlanOptions {
  return { namespace, noReply, defaultSourcePort: firstSourcePort };
}

/** An address that stands for whatever a name leads to. */
const ANYWHERE = '192.0.2.1:1';

function pickAddress(addresses: readonly IpAddress[], name: string, choices: Choices): IpAddress | undefined {
  const [first] = addresses;
  if (first === undefined || addresses.length === 1) return first;
  return addresses[
    choices.pick(
      `address of ${name}`,
      addresses.map(() => 1 / addresses.length),
    )
  ];
}

/** The answer that the client will end up with, if its queries arrive. */
function firstAnswer(cluster: Cluster, name: string, resolvConf: ResolvConf, source: Source): DnsAnswer | null {
  const types = source.addresses.some((address) => familyOf(address) === 4) ? (['A', 'AAAA'] as const) : (['AAAA', 'A'] as const);
  for (const candidate of candidateNames(name, resolvConf)) {
    for (const type of types) {
      const answer = answerQuery(cluster, candidate, type);
      if (answer.miss === null) return answer;
    }
  }
  return null;
}

/** The port: as given, by SRV where it is a name, else the only one of the service that the name stands for. */
function portOf(
  cluster: Cluster,
  { name, port }: Named,
  known: DnsAnswer | null,
  protocol: TransportProtocol | 'icmp' | null,
): Result<PortChoice> {
  if (protocol === 'icmp') return found({ kind: 'known', port: 0, protocol });
  const number = port === null ? null : parsePort(port);
  const service = known?.service ? serviceNamed(cluster, known.service) : undefined;
  if (number !== null) {
    const offered = service?.ports.filter((p) => p.port === number) ?? [];
    return found({ kind: 'known', port: number, protocol: protocol ?? (offered.length === 1 ? offered[0]!.protocol : 'tcp') });
  }
  if (port !== null && /^\d+$/.test(port)) return refused(`"${port}" is not a port (1 to 65535)`);
  if (port !== null) return found({ kind: 'srv', port, protocol: protocol ?? 'tcp' });
  if (service === undefined) return refused(`"${name}" needs a port: ${name}:80`);
  const ports = service.headless ? endpointPorts(cluster, service) : service.ports;
  const chosen = choosePort(name, ports, null, protocol);
  return chosen.ok ? found({ kind: 'known', port: chosen.value.port, protocol: chosen.value.protocol }) : chosen;
}

/** A headless service's own port means nothing to its pods: theirs count. */
function endpointPorts(cluster: Cluster, service: Service): { name: string; port: number; protocol: TransportProtocol }[] {
  const slice = cluster.endpointSlices.find((s) => s.service === service.name && s.namespace === service.namespace);
  return (slice?.ports ?? []).flatMap(({ port, ...rest }) => (port === null ? [] : [{ ...rest, port }]));
}

function serviceNamed(cluster: Cluster, full: string): Service | undefined {
  return cluster.services.find(({ namespace, name }) => `${namespace}/${name}` === full);
}

function labelOf({ name, text }: Named, port: PortChoice): string {
  const label = text.startsWith('svc/') ? text : name;
  return port.protocol === 'icmp' ? label : `${label}:${port.port}`;
}
