import { formatIp } from '../net/ip.ts';
import type { ConnectionResult } from '../kernel/walk/connection.ts';
import type { Leg, Outcome, Verdict } from '../trace/outcome.ts';
import { findCause } from './cause/find-cause.ts';
import type { Branch } from './explore.ts';
import type { Laboratory } from './laboratory.ts';
import { layerContext, withLayers } from './layers.ts';
import type { LayerContext } from './layers.ts';
import type { Plan } from './plan.ts';

/** Branches that look the same from outside, as one. */
interface Group {
  readonly result: ConnectionResult;
  readonly first: Branch;
  probability: number;
  /** All branches of the group have the same story before. */
  sameBefore: boolean;
}

/** Turns the branches of an exploration into outcomes, equal ones added up, each with its cause. Order: as explored. */
export function judge(branches: readonly Branch[], asked: Plan, before: readonly Plan[], laboratory: Laboratory): Outcome[] {
  const groups = new Map<string, Group>();
  for (const branch of branches) {
    const result = branch.results.at(-1)!;
    const key = fingerprint(result);
    const group = groups.get(key);
    if (!group) {
      groups.set(key, { result, first: branch, probability: branch.probability, sameBefore: true });
      continue;
    }
    group.probability += branch.probability;
    group.sameBefore &&= before.every((_, i) => fingerprint(branch.results[i]!) === fingerprint(group.first.results[i]!));
  }
  const context = layerContext(laboratory.cluster, asked.source.label);
  return [...groups.values()].map((group) => outcomeOf(group, asked, before, laboratory, context));
}

function outcomeOf(group: Group, asked: Plan, before: readonly Plan[], laboratory: Laboratory, context: LayerContext): Outcome {
  const { result, first } = group;
  const cause = findCause({
    ...laboratory,
    source: asked.source,
    destination: asked.destination,
    request: asked.request,
    result,
  });
  return {
    probability: tidy(group.probability),
    verdict: verdictOf(asked, result),
    server: result.server,
    source: result.source === null ? null : formatIp(result.source.address),
    cause,
    request: withLayers(result.request, context),
    reply: withLayers(result.reply, context),
    ack: withLayers(result.ack, context),
    ...(sendsData(asked) && { data: withLayers(result.data, context) }),
    legs: group.sameBefore ? before.map((plan, i) => legOf(plan, first.results[i]!, context)) : [],
  };
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

function legOf(plan: Plan, result: ConnectionResult, context: LayerContext): Leg {
  return {
    purpose: 'before',
    from: plan.source.label,
    to: plan.destination.label,
    verdict: verdictOf(plan, result),
    request: withLayers(result.request, context),
    reply: withLayers(result.reply, context),
    ack: withLayers(result.ack, context),
  };
}

/** Sums of binary fractions of thirds and sevenths are cut to what a reader can use. */
function tidy(probability: number): number {
  return Number(probability.toFixed(9));
}

function fingerprint(result: ConnectionResult): string {
  const { verdict, server, source, request, reply, ack, data } = result;
  return JSON.stringify([verdict, server, source && formatIp(source.address), request, reply, ack, data]);
}
