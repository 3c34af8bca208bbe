import { parseIp } from '../net/ip.ts';
import { serviceOfDestination } from './refs/service.ts';
import { PROXY_MODES } from '../scenario/reading/kube-proxy.ts';
import type { Cluster, ProxyMode, Service } from '../kubernetes/model/cluster.ts';
import type { NatEvent, RuleEvent, TraceEvent } from '../trace/event.ts';
import type { DifferenceAspect, ModeComparison, ModeDifference } from '../trace/mode-comparison.ts';
import type { Outcome } from '../trace/outcome.ts';
import type { Trace } from '../trace/trace.ts';

/** Says in what the traces of one packet under several proxy modes differ, and why. */
export function compareModes(cluster: Cluster, traces: readonly Trace[]): ModeComparison {
  const service = serviceOf(cluster, traces[0]);
  const connects = traces.filter(isWell);
  return {
    traces,
    differences: [
      ...differing('verdict', traces, verdictOf, (trace) => whyVerdict(trace, service)),
      ...differing('server', connects, serversOf, (trace) => whyServers(trace, service)),
      ...differing('source', connects, sourcesOf, whySource),
      ...differing('decision', traces, placeOf, (trace) => ofMode(HOW, trace)),
      ...differing('connections', traces, (trace) => String(connectionsOf(trace)), whyConnections),
      ...differing('rules', traces, rulesOf, (trace) => ofMode(COST, trace)),
    ],
  };
}

/** One sentence for each group of modes that have the same to say, where not all do the same. */
function differing(
  aspect: DifferenceAspect,
  traces: readonly Trace[],
  shown: (trace: Trace) => string,
  why: (trace: Trace) => string | null,
): ModeDifference[] {
  if (new Set(traces.map(shown)).size < 2) return [];
  const groups = new Map<string, string[]>();
  for (const trace of traces) {
    const text = why(trace);
    if (text !== null) groups.set(text, [...(groups.get(text) ?? []), trace.network.proxyMode]);
  }
  return [...groups].map(([text, modes]) => ({ aspect, modes, text }));
}

function isWell({ outcomes }: Trace): boolean {
  return outcomes.every(({ verdict, server }) => verdict === 'connected' && server !== null);
}

function verdictOf({ outcomes }: Trace): string {
  return sorted(outcomes.map(({ verdict, server }) => `${verdict} ${server === null}`));
}

function serversOf({ outcomes }: Trace): string {
  return sorted(outcomes.map(({ server, probability }) => `${server} ${probability.toFixed(3)}`));
}

function sourcesOf({ outcomes }: Trace): string {
  return sorted(outcomes.map(({ source }) => source ?? ''));
}

function sorted(texts: readonly string[]): string {
  return [...new Set(texts)].sort().join();
}

/** Host and hook, or process, where the destination is chosen. */
function placeOf({ outcomes }: Trace): string {
  const events = outcomes[0]?.request ?? [];
  const chosen = events.findLast((event) => event.kind === 'proxy') ?? events.findLast(isRewrite);
  if (chosen === undefined) return '';
  return chosen.kind === 'proxy' ? `${chosen.host} proxy` : `${chosen.host} ${chosen.hook} ${chosen.ipvs !== undefined}`;
}

function isRewrite(event: TraceEvent): event is Extract<TraceEvent, NatEvent> {
  return event.kind === 'nat' && event.type === 'dnat' && event.outer !== true;
}

/** Connections that are made for it, those ahead of it not counted. */
function connectionsOf({ outcomes }: Trace): number {
  const own = (outcome: Outcome): number =>
    1 + outcome.legs.filter(({ purpose }) => purpose === 'proxy' || purpose === 'tunnel').length;
  return Math.max(1, ...outcomes.map(own));
}

function rulesOf({ outcomes }: Trace): string {
  return outcomes.map(({ rulesLookedAt }) => rulesLookedAt ?? 0).join();
}

function whyVerdict(trace: Trace, service: Service | null): string | null {
  const failed = trace.outcomes.find(({ verdict, server }) => verdict !== 'connected' || server === null);
  return failed ? (failed.cause?.text ?? null) : whyServers(trace, service);
}

/** What a mode does with a service that others don't. */
function whyServers({ network: { proxyMode } }: Trace, service: Service | null): string | null {
  if (service === null) return null;
  const isLocal = service.externalTrafficPolicy === 'Local' || service.internalTrafficPolicy === 'Local';
  if (proxyMode === 'userspace') {
    const ignored = [
      ...(isLocal ? ['traffic policies'] : []),
      ...(service.loadBalancerSourceRanges.length > 0 ? ['loadBalancerSourceRanges'] : []),
    ];
    return ignored.length === 0 ? null : `this mode knows no ${ignored.join(' and no ')}: any ready endpoint will do`;
  }
  if (proxyMode !== 'ipvs') return null;
  if (isLocal) return 'where a policy of Local finds no endpoint on the node, the virtual server has all of them instead';
  return service.sessionAffinity.kind === 'ClientIP'
    ? 'affinity belongs to a virtual server, and each address of a service is one of its own'
    : null;
}

/** Whose address the server sees, and who put it there. */
function whySource(trace: Trace): string | null {
  const outcome = trace.outcomes[0];
  if (!outcome) return null;
  const { request } = outcome;
  const proxy = request.findLast((event) => event.kind === 'proxy');
  if (proxy) return `the server sees ${bare(proxy.host)}: a process there took the client’s connection and made one of its own`;
  const at = request.findLastIndex((event) => event.kind === 'nat' && event.type === 'snat' && event.outer !== true);
  if (at < 0) return 'the server sees the client: nobody rewrites the source';
  const rule = request.slice(0, at).findLast((event): event is Extract<TraceEvent, RuleEvent> => event.kind === 'rule');
  const place = rule ? ` (${rule.table} ${rule.chain} #${rule.rule})` : '';
  return `the server sees ${bare(request[at]!.host)}, which masquerades${place}`;
}

function bare(host: string): string {
  return host.replace(/^node\//, '');
}

/** How each mode gets a packet to an endpoint. */
const HOW: Readonly<Record<ProxyMode, string>> = {
  iptables: 'rules rewrite the destination ahead of routing: the packet is forwarded, and meets filter FORWARD',
  nftables: 'as iptables, by a table of its own: maps find the service, a rule rewrites the destination ahead of routing',
  ipvs: 'the address is the node’s own (kube-ipvs0): the packet passes filter INPUT, and IPVS takes it there and sends it on',
  userspace: 'rules lead to a port of the node: the packet passes filter INPUT, and kube-proxy, a process, takes it',
  none: 'there is no kube-proxy: whatever else is on the way decides',
};

function whyConnections(trace: Trace): string | null {
  return connectionsOf(trace) > 1
    ? 'the client’s connection ends at a process of the node; another one leads to the server'
    : null;
}

/** What the number of rules hangs on. */
const COST: Readonly<Record<ProxyMode, string | null>> = {
  iptables: 'a packet is held against one rule after the other: the more services, the more rules',
  userspace: 'a packet is held against one rule after the other: the more services, the more rules',
  ipvs: 'services are looked up in hash tables: their number does not matter',
  nftables: 'services are looked up in maps: their number does not matter',
  none: null,
};

/** What there is to say of a trace's mode. */
function ofMode(words: Readonly<Record<ProxyMode, string | null>>, { network }: Trace): string | null {
  const mode = PROXY_MODES.find((known) => known === network.proxyMode);
  return mode === undefined ? null : words[mode];
}

/** The service that the packet goes to, by one of its addresses or a node port. */
function serviceOf(cluster: Cluster, trace: Trace | undefined): Service | null {
  const packet = trace?.packet;
  const address = packet ? parseIp(packet.destination) : null;
  if (!packet || address === null) return null;
  return serviceOfDestination(cluster, { destination: address, port: packet.dport ?? 0, protocol: trace.protocol });
}
