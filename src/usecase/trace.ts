import { cniName } from './cni-name.ts';
import { formatIp } from '../net/ip.ts';
import { KernelState } from '../kernel/state.ts';
import type { Check, Probe } from '../kubernetes/model/check.ts';
import { unsupportedMode } from '../kubernetes/model/proxy-mode.ts';
import type { Cluster, SourcePosition } from '../kubernetes/model/cluster.ts';
import type { Diagnostic } from '../scenario/diagnostic.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { API_VERSION } from '../trace/trace.ts';
import type { Trace, TraceList } from '../trace/trace.ts';
import { openLaboratory, problem } from './laboratory.ts';
import type { Engine, Laboratory, LaboratoryOptions } from './laboratory.ts';
import { notModelledOn } from './not-modelled.ts';
import { FIRST_SOURCE_PORT } from './plan.ts';
import { ask, askedOf, likeliest } from './question.ts';
import type { Branch } from './explore.ts';
import type { Step } from './journey/step.ts';
import type { Answer, Question } from './question.ts';
import { allChecks } from './find-check.ts';
import { completeScenario } from './needed-services.ts';
import { refused } from './refs/ref.ts';
import { goThrough } from './timeline.ts';

export interface TraceOptions extends LaboratoryOptions {
  /** Default namespace of references; "default" when left out. */
  readonly namespace?: string;
  /** Ends when the request has arrived or died. */
  readonly noReply?: boolean;
  /** Connections made first, whose state stays. */
  readonly before?: readonly Probe[];
  /** The check that the question is about. In a scenario with steps all that goes before it is gone through first. */
  readonly check?: Check | null;
  /** Where the question stands in the input, for messages. */
  readonly position?: SourcePosition | null;
}

type Failure = { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };
export type TraceResult = { readonly ok: true; readonly trace: Trace } | Failure;
export type TraceListResult = { readonly ok: true; readonly traces: TraceList } | Failure;

/** What happens to this packet: one connection through a scenario's cluster, every outcome of it. */
export function traceConnection(given: Scenario, probe: Probe, options: TraceOptions, engine: Engine): TraceResult {
  const scenario = withServices(given, probe, options);
  const reached = reach(scenario, probe, options, engine);
  if (!reached.ok) return reached;
  const { laboratory, question, state, notes } = reached;
  const answer = ask(laboratory, question, state);
  if (!answer.ok) return failure(answer.message, options);
  return { ok: true, trace: traceOf(laboratory, scenario, answer.value, notes) };
}

/**
 * `--repeat`: the same connection several times, one after the other over what the earlier ones left behind, each from a port of its
 * own. Where a connection may end in several ways the next goes on from the most likely one (the first among equals), and says so.
 */
export function traceRepeated(
  given: Scenario,
  probe: Probe,
  count: number,
  options: TraceOptions,
  engine: Engine,
): TraceListResult {
  const scenario = withServices(given, probe, options);
  const reached = reach(scenario, probe, options, engine);
  if (!reached.ok) return reached;
  const { laboratory, question: first } = reached;
  const items: Trace[] = [];
  let { state, notes } = reached;
  for (let i = 0; i < count; i++) {
    const question = i === 0 ? first : { ...first, probe: withNextPort(first, i), before: [] };
    const answer = ask(laboratory, question, state);
    if (!answer.ok) return failure(answer.message, options);
    items.push(traceOf(laboratory, scenario, answer.value, notes));
    const next = likeliest(answer.value, `connection ${i + 1}`);
    state = next.state.settled();
    notes = next.note === null ? reached.notes : [...reached.notes, next.note];
  }
  return { ok: true, traces: { apiVersion: API_VERSION, kind: 'TraceList', items } };
}

/** The scenario with the services that its cluster would also have, where the question asks for one of them. */
function withServices(scenario: Scenario, probe: Probe, options: TraceOptions): Scenario {
  const { before = [], namespace = 'default', check } = options;
  // With steps everything before the check is gone through too.
  const others = scenario.steps.length > 0 && check ? allChecks(scenario).flatMap((each) => [each, ...each.before]) : [];
  return completeScenario(scenario, [probe, ...before, ...others], namespace);
}

interface Reached {
  readonly ok: true;
  readonly laboratory: Laboratory;
  readonly question: Question;
  readonly state: KernelState;
  readonly notes: readonly string[];
}

/** The moment at which a question is asked: at once, or after everything that goes before a check of a scenario with steps. */
function reach(scenario: Scenario, probe: Probe, options: TraceOptions, engine: Engine): Reached | Failure {
  if (scenario.steps.length > 0 && options.check) return reachCheck(scenario, options.check, probe, options, engine);
  const opened = openLaboratory(scenario.cluster, options, engine);
  if (!opened.ok) return opened;
  const { before = [], namespace = 'default', noReply = false } = options;
  const question = { probe, before, namespace, noReply };
  return { ok: true, laboratory: opened.laboratory, question, state: new KernelState(), notes: [] };
}

/** `probe` is the check's own, or what the command line has made of it. */
function reachCheck(
  scenario: Scenario,
  wanted: Check,
  probe: Probe,
  { noReply = false, ...options }: TraceOptions,
  engine: Engine,
): Reached | Failure {
  let reached: Reached | Failure = failure(`check "${wanted.name}" is not in the scenario`, options);
  goThrough(scenario, options, engine, ({ check, opened, state, question, notes }) => {
    if (check !== wanted) return question.ok && opened.ok ? ask(opened.laboratory, question.value, state) : refused('');
    if (!opened.ok) reached = opened;
    else if (!question.ok) reached = failure(question.message, options);
    else reached = { ok: true, laboratory: opened.laboratory, question: { ...question.value, probe, noReply }, state, notes };
    return null;
  });
  return reached;
}

function withNextPort({ probe, firstSourcePort }: Question, by: number): Probe {
  return { ...probe, sourcePort: (probe.sourcePort ?? firstSourcePort ?? FIRST_SOURCE_PORT) + by };
}

function failure(message: string, options: TraceOptions): Failure {
  return { ok: false, diagnostics: [problem('question', message, options.position ?? null)] };
}

function traceOf(laboratory: Laboratory, scenario: Scenario, answer: Answer, notes: readonly string[]): Trace {
  const { journey, branches } = answer;
  const { cluster } = laboratory;
  return {
    apiVersion: API_VERSION,
    kind: 'Trace',
    from: journey.from,
    to: journey.to,
    protocol: journey.protocol,
    packet: packetOf(branches),
    network: { cni: cniName(cluster.cni), proxyMode: cluster.kubeProxy.mode },
    assumptions: [
      ...new Set([
        ...scenario.assumptions,
        ...proxyModeNotes(cluster),
        ...assumedListeners(cluster, answer),
        ...answer.assumptions,
        ...notes,
      ]),
    ],
    ...(answer.notes.length > 0 && { notes: answer.notes }),
    notModelled: notModelledOn(cluster, branches, answer.outcomes),
    outcomes: answer.outcomes,
    sampled: answer.sampled,
  };
}

/** The first packet of the asked connection; null where it did not come to one. */
function packetOf(branches: readonly Branch<Step>[]): Trace['packet'] {
  const asked = firstMapped(branches, askedOf);
  if (!asked) return null;
  const { request, source } = asked.connection;
  const { local } = asked.result;
  const address = local?.address ?? request.sourceAddress ?? source.addresses[0];
  const hasPorts = request.protocol !== 'icmp';
  return address === undefined
    ? null
    : {
        source: formatIp(address),
        sport: hasPorts ? (local?.port ?? request.sourcePort) : null,
        destination: formatIp(request.destination),
        dport: hasPorts ? request.port : null,
      };
}

function firstMapped<T, R>(items: readonly T[], map: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const mapped = map(item);
    if (mapped !== undefined) return mapped;
  }
  return undefined;
}

function proxyModeNotes(cluster: Cluster): readonly string[] {
  const message = unsupportedMode(cluster);
  return message === null ? [] : [`${message}; shown is what a release that has it does`];
}

/** Ports that a server listens on only because a service points there. */
function assumedListeners(cluster: Cluster, answer: Answer): string[] {
  const servers = new Set(answer.outcomes.map((outcome) => outcome.server));
  const notes: string[] = [];
  for (const pod of cluster.pods) {
    if (pod.assumedPorts.length === 0 || !servers.has(`pod/${pod.namespace}/${pod.name}`)) continue;
    for (const { port, protocol, service } of pod.assumedPorts) {
      notes.push(
        `pod/${pod.namespace}/${pod.name} declares no port; it is taken to listen on ${port}/${protocol}, where ${service} points`,
      );
    }
  }
  for (const { name, assumedPorts = [] } of cluster.nodes) {
    if (!servers.has(`node/${name}`)) continue;
    for (const { port, protocol, service } of assumedPorts)
      notes.push(`a process of node/${name} is taken to listen on ${port}/${protocol}, where ${service} points`);
  }
  return notes;
}
