import { Choices } from '../kernel/walk/choices.ts';
import { formatIp } from '../net/ip.ts';
import type { ConnectionResult } from '../kernel/walk/connection.ts';
import type { ProxyEvent, TraceEvent } from '../trace/event.ts';
import type { Cause, Leg, Outcome, Verdict } from '../trace/outcome.ts';
import { checkNotes, toldChecks } from './balancer/told-checks.ts';
import { findCause } from './cause/find-cause.ts';
import type { Branch, Made } from './explore.ts';
import type { Journey } from './journey/journey.ts';
import { endingOf } from './journey/step.ts';
import type { Ending, Step } from './journey/step.ts';
import type { Laboratory } from './laboratory.ts';
import { layerContext, withLayers } from './layers.ts';
import type { LayerContext } from './layers.ts';
import type { Plan } from './plan.ts';
import { sameData } from '../support/same-data.ts';

/** What came of a journey, for whoever asked. */
export interface Told {
  /** Equal ones added up, each with its cause. Order: as explored. */
  readonly outcomes: readonly Outcome[];
  /** What was assumed on the way. */
  readonly assumptions: readonly string[];
  /** What is worth saying of the way as a whole. */
  readonly notes: readonly string[];
}

/** Branches that look the same from outside, as one. */
interface Group {
  readonly first: Branch<Step>;
  readonly ending: Ending;
  probability: number;
  /** All branches of the group have the same story before. */
  sameBefore: boolean;
}

/** Turns the branches of a journey into outcomes. */
export function tell(branches: readonly Branch<Step>[], journey: Journey, laboratory: Laboratory): Told {
  const all: Group[] = [];
  const byEnd = new Map<string, Group[]>();
  for (const branch of branches) {
    const ending = endingOf(journey.start, branch.made, new Choices(), branch.state);
    const end = endOf(branch, ending);
    const alike = byEnd.get(end) ?? [];
    const group = alike.find(({ first }) => sameData(storyOf(first), storyOf(branch)));
    if (!group) {
      const made = { first: branch, ending, probability: branch.probability, sameBefore: true };
      all.push(made);
      byEnd.set(end, [...alike, made]);
      continue;
    }
    group.probability += branch.probability;
    group.sameBefore &&= sameData(storyBefore(branch), storyBefore(group.first));
  }
  const context = layerContext(laboratory.cluster, journey.from);
  return {
    outcomes: all.map((group) => outcomeOf(group, laboratory, context)),
    assumptions: [...new Set(all.flatMap(({ ending }) => ending.assumptions))],
    notes: [
      ...new Set(all.flatMap(({ ending, first }) => [...ending.notes, ...checkNotes(resultsOf(first.made), laboratory.health)])),
    ],
  };
}

function outcomeOf({ first, ending, probability, sameBefore }: Group, laboratory: Laboratory, context: LayerContext): Outcome {
  const made = first.made.filter(({ connection }) => sameBefore || connection.purpose !== 'before');
  const asked = made.find(({ connection }) => connection.purpose === 'asked');
  const others = [...healthChecks(made, laboratory), ...made.filter((one) => one !== asked)];
  const answering = answeringOf(ending, made, asked);
  const { server = null, source = null } = ending.server === null ? (answering?.result ?? {}) : { server: ending.server };
  return {
    probability: tidy(probability),
    verdict: ending.verdict ?? (asked ? verdictOf(asked.connection, asked.result) : 'unknown'),
    server: ending.unanswered ? null : server,
    source: source === null ? null : formatIp(source.address),
    ...(ending.status !== null && { status: ending.status }),
    cause: causeOf(asked, others, ending, laboratory),
    request: [...withLayers(asked?.result.request ?? [], context), ...proxied(asked, made, others)],
    reply: ending.unanswered ? [] : withLayers(asked?.result.reply ?? [], context),
    ack: withLayers(asked?.result.ack ?? [], context),
    ...(asked && sendsData(asked.connection) && { data: withLayers(asked.result.data, context) }),
    rulesLookedAt: rulesLookedAt(made),
    legs: others.map((one) => legOf(one, made, others, context)),
  };
}

/** What the balancers on the way had asked the nodes before a connection came. */
function healthChecks(made: readonly Made<Step>[], { health }: Laboratory): readonly Made<Step>[] {
  return toldChecks(resultsOf(made), health).map((check) => check.made);
}

function resultsOf(made: readonly Made<Step>[]): readonly ConnectionResult[] {
  return made.map(({ result }) => result);
}

/** The connection whose server and source are told. */
function answeringOf({ answered }: Ending, made: readonly Made<Step>[], asked: Made<Step> | undefined): Made<Step> | undefined {
  if (answered === 'asked') return asked;
  return answered === 'last' ? made.at(-1) : made.find(({ connection }) => connection.request === answered);
}

/** The first connection that went wrong has it, the asked one before those behind it; queries only where no name was found. */
function causeOf(
  asked: Made<Step> | undefined,
  others: readonly Made<Step>[],
  ending: Ending,
  laboratory: Laboratory,
): Cause | null {
  if (ending.cause) return { ...ending.cause, at: null };
  const unresolved = ending.verdict === 'unresolved';
  const told = others.filter((one) => {
    const { purpose } = one.connection;
    if (purpose === 'resolve' || purpose === 'probe') return unresolved;
    // Where the journey ended well, a process has made up for what failed.
    return purpose !== 'before' && (ending.answered === 'asked' || isWell(one) || one === others.at(-1));
  });
  for (const one of asked ? [asked, ...told] : told) {
    const { source, destination, request } = one.connection;
    const cause = findCause({ ...laboratory, source, destination, request, result: one.result });
    if (cause) return inLeg(cause, one, asked, others);
  }
  return null;
}

/** A cause in another connection than the asked one says in which. */
function inLeg(cause: Cause, one: Made<Step>, asked: Made<Step> | undefined, others: readonly Made<Step>[]): Cause {
  if (one === asked) return cause;
  const { text, purpose } = one.connection;
  const told = purpose === 'resolve' && text !== null ? `the query for ${text} failed: ${cause.text}` : cause.text;
  return { ...cause, text: told, at: cause.at && { ...cause.at, leg: others.indexOf(one) + 1 } };
}

/** Where only the request was asked about its arrival is all that can go well. */
function verdictOf({ request }: Plan, result: ConnectionResult): Verdict {
  if (result.unknownRules.length > 0) return 'unknown';
  return request.noReply && result.server !== null ? 'connected' : result.verdict;
}

/** Of a connection that is only continued the segment is the request itself. */
function sendsData({ request }: Plan): boolean {
  return request.payload !== null && request.protocol === 'tcp' && request.established === undefined;
}

function legOf(one: Made<Step>, made: readonly Made<Step>[], others: readonly Made<Step>[], context: LayerContext): Leg {
  const { connection, result } = one;
  return {
    purpose: connection.purpose === 'asked' ? 'before' : connection.purpose,
    from: connection.source.label,
    to: connection.destination.label,
    ...(connection.text !== null && { text: connection.text }),
    ...(connection.answer !== undefined && result.verdict === 'connected' && { answer: connection.answer(result) }),
    verdict: verdictOf(connection, result),
    request: [...withLayers(result.request, context), ...proxied(one, made, others)],
    reply: withLayers(result.reply, context),
    ack: withLayers(result.ack, context),
  };
}

/** A process took the connection and opens one of its own: the event that ends the request's way. */
function proxied(one: Made<Step> | undefined, made: readonly Made<Step>[], others: readonly Made<Step>[]): TraceEvent[] {
  if (!one || verdictOf(one.connection, one.result) !== 'connected') return [];
  const events: (ProxyEvent & Pick<TraceEvent, 'layer'>)[] = [];
  for (const next of made.slice(made.indexOf(one) + 1)) {
    const { purpose, source, destination, text } = next.connection;
    if (purpose !== 'proxy' && purpose !== 'tunnel') break;
    events.push({
      kind: 'proxy',
      // An ingress controller and kubectl's way are entrances from outside; kube-proxy's process stands for services.
      layer: source.pod !== null || next.connection.purpose === 'tunnel' ? 'L3' : 'L2',
      host: source.host,
      text: text ?? `${source.label} opens a connection of its own to ${destination.label}`,
      leg: others.indexOf(next),
    });
    // One that fails may be followed by another try of the same process.
    if (isWell(next)) break;
  }
  return events;
}

function isWell({ connection, result }: Made<Step>): boolean {
  return verdictOf(connection, result) === 'connected';
}

/** Of the asked connection and those that processes made because of it. */
function rulesLookedAt(made: readonly Made<Step>[]): number {
  const counted = made.filter(
    ({ connection: { purpose } }) => purpose === 'asked' || purpose === 'proxy' || purpose === 'tunnel',
  );
  return counted.reduce((sum, { result }) => sum + result.rulesLookedAt, 0);
}

/** Sums of binary fractions of thirds and sevenths are cut to what a reader can use. */
function tidy(probability: number): number {
  return Number(probability.toFixed(9));
}

/** What tells most branches apart at once: how each connection ended, and where. */
function endOf({ made }: Branch<Step>, { verdict, status }: Ending): string {
  return JSON.stringify([
    verdict,
    status,
    made.flatMap(({ connection, result }) => (connection.purpose === 'before' ? [] : [endOfOne(result)])),
  ]);
}

function endOfOne({ verdict, server, request, reply, ack, data }: ConnectionResult): unknown {
  return [verdict, server, request.length, reply.length, ack.length, data.length];
}

function storyOf({ made }: Branch<Step>): unknown {
  return made.filter(({ connection }) => connection.purpose !== 'before').map(seen);
}

function storyBefore({ made }: Branch<Step>): unknown {
  return made.filter(({ connection }) => connection.purpose === 'before').map(seen);
}

function seen({ result }: Made<Step>): unknown {
  const { verdict, server, source, request, reply, ack, data } = result;
  return [verdict, server, source && formatIp(source.address), request, reply, ack, data];
}
