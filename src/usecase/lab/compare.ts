import { formatIp } from '../../net/ip.ts';
import { verdictOfErrno } from '../../kernel/socket/errno.ts';
import { isEcho, sorter } from './parts.ts';
import type { IsFlooded } from './devices.ts';
import type { Sorter } from './parts.ts';
import { observedDevices, simulatedDevices } from './devices.ts';
import type { ConnectionRequest, ConnectionResult, ConnectionVerdict } from '../../kernel/walk/connection.ts';
import type { KernelEvent } from '../../trace/event.ts';
import type { Part } from '../../trace/outcome.ts';
import type { LabDifference } from '../../trace/lab-report.ts';
import type { Observation } from './observation.ts';

export interface CompareOptions {
  /** UDP port of tunnels; null: there are none. */
  readonly vxlanPort: number | null;
  readonly isFlooded: IsFlooded;
}

const PARTS: readonly Part[] = ['request', 'reply', 'ack', 'data'];

/** What a connection came to, in one line. */
export interface Ending {
  readonly verdict: ConnectionVerdict;
  readonly server: string | null;
  readonly source: string | null;
}

/** `withData`: a segment of data is part of the connection, so it has to arrive as well. */
export function observedEnding(observation: Observation, request: ConnectionRequest, withData: boolean): Ending {
  const [arrival] = observation.arrivals;
  const echo = request.protocol === 'icmp' ? echoServer(observation) : null;
  return {
    verdict: observedVerdict(observation, withData),
    server: arrival?.owner ?? echo?.server ?? null,
    source: arrival?.source ?? echo?.source ?? null,
  };
}

export function simulatedEnding({ verdict, server, source }: ConnectionResult): Ending {
  return { verdict, server, source: source === null ? null : formatIp(source.address) };
}

/** The first difference between what was simulated and what was observed; null: they agree. */
export function compareConnection(
  result: ConnectionResult,
  observation: Observation,
  request: ConnectionRequest,
  options: CompareOptions,
): LabDifference | null {
  const simulated = simulatedEnding(result);
  const observed = observedEnding(observation, request, result.data.length > 0);
  const sort = sorter(observation, { host: request.host, protocol: request.protocol, vxlanPort: options.vxlanPort });
  const belongings = new Map<string, readonly ReturnType<typeof sort.ofFrame>[]>();
  for (const host of new Set(observation.runs.map((run) => run.host))) {
    belongings.set(host, sort.ofRuns(observation.runs.filter((run) => run.host === host)));
  }
  const lines = isNested(observation, options.vxlanPort)
    ? (found: readonly string[]): readonly string[] => found.map((line) => line.replace('^', ''))
    : (found: readonly string[]): readonly string[] => found;
  const silent = replyNeverSent(observation, sort);
  // A real client sends its data though the server has never heard of the connection; the simulation then says enough without.
  const parts = PARTS.filter((part) => !(part === 'reply' && silent) && !(part === 'data' && result.data.length === 0));
  for (const part of parts) {
    const events = result[part];
    const hosts = new Set([...events.map(({ host }) => host), ...observation.runs.map(({ host }) => host)]);
    for (const host of hosts) {
      const expected = events.filter((event) => event.host === host).flatMap(ruleLine);
      const runs = observation.runs.filter((run) => run.host === host);
      const found = runs.flatMap((run, i) => {
        const belonging = belongings.get(host)?.[i];
        return belonging?.part === part ? runLines(run, belonging.outer) : [];
      });
      const difference = firstDifference('rules', `${part} on ${host}`, lines(expected), lines(found));
      if (difference) return difference;
    }
  }
  // Echoes are the kernel's own affair: who got one that stays without an answer, and from whom he believes it to be, nobody can see.
  const known = request.protocol !== 'icmp' ? (['verdict', 'server', 'source'] as const) : (['verdict', 'server'] as const);
  for (const what of known.filter((field) => field !== 'server' || request.protocol !== 'icmp' || observed.server !== null)) {
    const difference = firstDifference(what, null, [simulated[what] ?? 'none'], [observed[what] ?? 'none']);
    if (difference) return difference;
  }
  const inOrder = wasFragmented(observation)
    ? (lines: readonly string[]) => [...lines].sort()
    : (lines: readonly string[]) => lines;
  for (const part of parts) {
    const expected = simulatedDevices(result[part], options.isFlooded);
    const found = observedDevices(observation, sort, part, options.isFlooded);
    for (const host of new Set([...expected.keys(), ...found.keys()])) {
      const difference = firstDifference(
        'devices',
        `${part} on ${host}`,
        inOrder(lines(expected.get(host) ?? [])),
        inOrder(lines(found.get(host) ?? [])),
      );
      if (difference) return difference;
    }
  }
  return null;
}

/** A tunnel's packet inside a tunnel: which of them is the outer one is a matter of words. */
function isNested({ frames }: Observation, vxlanPort: number | null): boolean {
  return frames.some(({ inner }) => inner?.packet?.protocol === 'udp' && inner.packet.dport === vxlanPort);
}

function firstDifference(
  what: LabDifference['what'],
  where: string | null,
  simulated: readonly string[],
  observed: readonly string[],
): LabDifference | null {
  const length = Math.max(simulated.length, observed.length);
  for (let at = 0; at < length; at++) if (simulated[at] !== observed[at]) return { what, where, simulated, observed, at };
  return null;
}

/** An ICMP error that dies in its own host's OUTPUT is no packet that comes back: the simulation leaves it out as well. */
function replyNeverSent(observation: Observation, sort: Sorter): boolean {
  const first = observation.runs.find(
    (run, i) => sort.ofRuns(observation.runs)[i]?.part === 'reply' && run.packet.icmp !== undefined,
  );
  return first?.hook === 'OUTPUT' && !observation.frames.some((frame) => sort.ofFrame(frame)?.part === 'reply');
}

/** Fragments travel side by side: in which order they pass a device is chance. */
function wasFragmented({ frames }: Observation): boolean {
  return frames.some(({ packet, inner }) => packet.fragment !== undefined || inner?.packet?.fragment !== undefined);
}

function ruleLine(event: KernelEvent): string[] {
  const outer = event.outer ? '^' : '';
  // The kernel's own trace is nftables', which knows nothing of iptables-legacy.
  if ((event.kind === 'rule' || event.kind === 'policy') && event.legacy) return [];
  if (event.kind === 'rule') return [`${outer}${event.hook} ${event.table} ${event.chain} #${event.rule} ${event.verdict}`];
  if (event.kind === 'policy' && event.verdict === 'drop')
    return [`${outer}${event.hook} ${event.table} ${event.chain} policy drop`];
  return [];
}

function runLines({ hook, chain: base, table, rules, policy }: Observation['runs'][number], isOuter: boolean): string[] {
  const outer = isOuter ? '^' : '';
  return [
    ...rules.map(({ chain, rule, verdict }) => `${outer}${hook} ${table} ${chain} #${rule ?? '?'} ${verdict}`),
    ...(policy === 'drop' ? [`${outer}${hook} ${table} ${base} policy drop`] : []),
  ];
}

function observedVerdict({ result, arrivals }: Observation, withData: boolean): ConnectionVerdict {
  if (result.errno !== null) return verdictOfErrno(result.errno);
  const arrived = !withData || arrivals.some(({ bytes }) => bytes > 0);
  return result.connected && arrived ? 'connected' : 'timeout';
}

/** Who answered an echo: the kernel does it, so only the devices tell. */
function echoServer({ frames }: Observation): { readonly server: string; readonly source: string } | null {
  const index = frames.findIndex(({ kind, packet }) => kind === 'tx' && isEcho(packet, 'reply'));
  if (index < 0) return null;
  const { host, packet } = frames[index]!;
  return { server: host, source: packet.dst };
}
