import { KernelState } from '../../kernel/state.ts';
import { compareConnection, observedEnding } from './compare.ts';
import { formatIp } from '../../net/ip.ts';
import { explore } from '../explore.ts';
import { planJourney } from '../journey/journey.ts';
import { scriptOf } from '../journey/step.ts';
import type { Step } from '../journey/step.ts';
import { refused } from '../refs/ref.ts';
import type { ConnectionRequest, ConnectionResult } from '../../kernel/walk/connection.ts';
import type { Probe } from '../../kubernetes/model/check.ts';
import type { Branch } from '../explore.ts';
import type { Laboratory } from '../laboratory.ts';
import type { Result } from '../refs/ref.ts';
import type { LabDifference } from '../../trace/lab-report.ts';
import { vxlanPort } from './agent-hosts.ts';
import { floodedFrames } from './devices.ts';
import type { CompareOptions, Ending } from './compare.ts';
import type { Observation } from './observation.ts';

/** A connection to make in the lab and how long to wait for what ends it. */
export interface PlannedProbe {
  readonly request: ConnectionRequest;
  readonly seconds: number;
}

/** A question put to both, the simulation and a real kernel. */
export interface Verification {
  /** Empty where it does not come to any connection. */
  readonly probes: readonly PlannedProbe[];
  /** All that the simulation holds for possible. */
  readonly branches: readonly Branch<Step>[];
  readonly options: CompareOptions;
}

/** One branch of the simulation against what was observed. */
export interface Judgement {
  readonly agrees: boolean;
  /** The probability of the branch that the kernel took, or came nearest to. */
  readonly probability: number;
  readonly ending: Ending;
  readonly difference: LabDifference | null;
  /** Which connection of the sequence differs, from 0. */
  readonly connection: number;
}

/** As long as no TCP SYN is sent again (1 s). */
const SECONDS = 0.9;
/** Three requests for a neighbour's address, a second each, and some time. */
const NEIGHBOUR_SECONDS = 4;

/** Simulates a probe and those before it, with every way random choices can fall. */
export function planVerification(
  laboratory: Laboratory,
  probe: Probe,
  before: readonly Probe[],
  namespace: string,
): Result<Verification> {
  const planned = planJourney(laboratory.cluster, {
    probe: { ...probe, backend: null },
    before: before.map((b) => ({ ...b, backend: null })),
    namespace,
    noReply: false,
  });
  if (!planned.ok) return planned;
  const explored = explore(scriptOf(planned.value.start), {
    world: laboratory.world,
    state: new KernelState(),
    connect: laboratory.connect,
  });
  const branches = madeAlike(explored.branches);
  if (branches === null) return refused("who makes the next connection is drawn by the kernel, so it can't be planned here");
  const sequence = branches[0]?.made.map(({ connection }) => connection) ?? [];
  if (sequence.some(({ request }) => request.protocol === 'sctp')) return refused('the lab speaks TCP, UDP and ICMP, no SCTP');
  const probes = sequence.map(({ request }, i) => ({
    request,
    seconds: branches.some(({ made }) => waitsForNeighbour(made[i]?.result)) ? NEIGHBOUR_SECONDS : SECONDS,
  }));
  const { world } = laboratory;
  return { ok: true, value: { probes, branches, options: { vxlanPort: vxlanPort(world), isFlooded: floodedFrames(world) } } };
}

/**
 * The branches that make the same connections as the first. What a process picks (one of the addresses of a name, an endpoint) is picked
 * for it here; null where the kernel's own choice decides which host makes a connection.
 */
function madeAlike(branches: readonly Branch<Step>[]): readonly Branch<Step>[] | null {
  const printed = branches.map(({ made }) => made.map(({ connection: { request } }) => request));
  const makers = printed.map((requests) => JSON.stringify(requests.map(({ host, protocol }) => [host, protocol])));
  if (makers.some((each) => each !== makers[0])) return null;
  const ways = printed.map((requests) => JSON.stringify(requests.map((r) => [formatIp(r.destination), r.port])));
  return branches.filter((_, i) => ways[i] === ways[0]);
}

/** Compares with the branch that agrees, else with the one that agrees longest. */
export function judgeVerification({ probes, branches, options }: Verification, observations: readonly Observation[]): Judgement {
  const last = probes.at(-1)!.request;
  const withData =
    last.protocol === 'tcp' && last.payload !== null && branches.some(({ made }) => (made.at(-1)?.result.data.length ?? 0) > 0);
  const ending = observedEnding(observations.at(-1)!, last, withData);
  let best: Judgement | null = null;
  let bestScore = -1;
  for (const { probability, made } of branches) {
    const results = made.map(({ result }) => result);
    const judgement = judgeBranch(results, probes, observations, options);
    const score =
      judgement.difference === null ? Number.POSITIVE_INFINITY : agreement(judgement.difference, judgement.connection);
    if (score > bestScore) {
      best = { ...judgement, probability, ending };
      bestScore = score;
    }
  }
  return best ?? { agrees: false, probability: 0, ending, difference: null, connection: 0 };
}

function judgeBranch(
  results: readonly ConnectionResult[],
  probes: readonly PlannedProbe[],
  observations: readonly Observation[],
  options: CompareOptions,
): Pick<Judgement, 'agrees' | 'difference' | 'connection'> {
  for (const [connection, { request }] of probes.entries()) {
    const difference = compareConnection(results[connection]!, observations[connection]!, request, options);
    if (difference) return { agrees: false, difference, connection };
  }
  return { agrees: true, difference: null, connection: 0 };
}

/** Later connections, later parts and later lines agree longer. */
function agreement({ what, where, at }: LabDifference, connection: number): number {
  const order = what === 'rules' ? ['request', 'reply', 'ack', 'data'].findIndex((part) => where?.startsWith(part)) : 8;
  return connection * 1e6 + order * 1e4 + at;
}

function waitsForNeighbour(result: ConnectionResult | undefined): boolean {
  return (
    result !== undefined && [...result.request, ...result.reply].some((event) => event.kind === 'neighbour' && event.mac === null)
  );
}
