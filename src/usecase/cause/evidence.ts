import type { World } from '../../kernel/world.ts';
import type { ConnectionPart, ConnectionRequest, ConnectionResult } from '../../kernel/walk/connection.ts';
import type { Cluster } from '../../kubernetes/model/cluster.ts';
import type { DropEvent, KernelEvent, PacketView, PolicyEvent, RouteEvent, RuleEvent } from '../../trace/event.ts';
import type { Cause, CauseCode, Part } from '../../trace/outcome.ts';
import type { NodeHealth } from '../balancer/health-check.ts';
import type { Source } from '../refs/source.ts';
import type { Destination } from '../refs/target.ts';

/** All that a cause may be found from. */
export interface Evidence {
  readonly cluster: Cluster;
  readonly world: World;
  /** The cluster without operators' commands: what should be there. */
  readonly healthy: () => World | null;
  readonly source: Source;
  readonly destination: Destination;
  readonly request: ConnectionRequest;
  readonly result: ConnectionResult;
  /** What the cloud's balancers know of the nodes; left out: there is none. */
  readonly health?: NodeHealth;
}

/** Where a connection broke. */
export interface Site {
  readonly part: Part;
  /** Index of the deciding event in the part; -1 when the part is empty. */
  readonly index: number;
  readonly events: readonly KernelEvent[];
  /** null: no packet was dropped, a call failed before one was made. */
  readonly drop: DropEvent | null;
  readonly host: string;
}

/** Finds one cause; null: it is another. */
export type Diagnose = (evidence: Evidence, site: Site) => Cause | null;

/**
 * Where a failed connection broke: the first loss. A frame that a bridge flooded to somebody it was not for is no loss. Where
 * nothing was lost the last routing look-up of the client decided. null: nothing is known.
 */
export function findSite(result: ConnectionResult): Site | null {
  for (const loss of result.losses) {
    const part = partOf(loss.part);
    const events = part === null ? [] : result[part];
    const event = events[loss.event];
    if (part === null || event?.kind !== 'drop' || event.reason === 'OTHERHOST') continue;
    return { part, index: loss.event, events, drop: event, host: event.host };
  }
  const last = result.request.at(-1);
  if (!last || result.verdict === 'connected') return null;
  // The only thing that is known: it came to somebody whom it was not for.
  if (last.kind === 'drop' && last.reason === 'OTHERHOST')
    return { part: 'request', index: result.request.length - 1, events: result.request, drop: last, host: last.host };
  const route = result.request.findLastIndex((event) => event.kind === 'route');
  const index = route < 0 ? result.request.length - 1 : route;
  return { part: 'request', index, events: result.request, drop: null, host: last.host };
}

function partOf(part: ConnectionPart): Part | null {
  return part === 'other' ? null : part;
}

/** A cause at a site. `by`: the index of the event that decided, when it is not the site's own. */
export function causeAt(site: Site, code: CauseCode, text: string, remedy: readonly string[] | null, by?: number): Cause {
  const event = by ?? site.index;
  return { code, text, remedy, at: event < 0 ? null : { leg: 0, part: site.part, event } };
}

/** A command line as a remedy prints it: fit for the shell of the host that is named behind it. */
export function onHost(host: string, command: string): string {
  return `${command}  # on ${host}`;
}

/** The packet that broke, as the drop or the last event before it shows it. */
export function packetAt(site: Site): PacketView | null {
  for (let i = site.index; i >= 0; i--) {
    const event = site.events[i]!;
    if (event.packet && (event.outer ?? false) === (site.drop?.outer ?? false)) return event.packet;
  }
  return null;
}

/** The index of the last event at or before the site, on its host, that `wanted` accepts; -1 when there is none. */
export function lastBefore(site: Site, wanted: (event: KernelEvent) => boolean): number {
  for (let i = site.index; i >= 0; i--) {
    const event = site.events[i]!;
    if (event.host === site.host && wanted(event)) return i;
  }
  return -1;
}

export function lastRoute(site: Site): RouteEvent | null {
  const event = site.events[lastBefore(site, (e) => e.kind === 'route')];
  return event?.kind === 'route' ? event : null;
}

/** The destination was rewritten on the request's way. */
export function wasTranslated(result: ConnectionResult): boolean {
  return result.request.some((event) => event.kind === 'nat' && event.type === 'dnat' && !event.outer);
}

/** The rule that kept a packet of the connection out of conntrack on a host. */
export function untrackingRule(result: ConnectionResult, host: string): RuleEvent | null {
  const events = [...result.request, ...result.reply, ...result.ack];
  const found = events.find((e) => e.kind === 'rule' && e.host === host && /-j (CT --notrack|NOTRACK)\b/.test(e.text));
  return found?.kind === 'rule' ? found : null;
}

/** The rule that put an address into packets, where none of the cluster's own programs made it: the last that did. */
export function foreignTranslation(events: readonly KernelEvent[], type: 'dnat' | 'snat', address: string): RuleEvent | null {
  const side = type === 'dnat' ? 'dst' : 'src';
  const nat = events.findLastIndex((e) => e.kind === 'nat' && e.type === type && !e.outer && e.after[side] === address);
  const rule = events[nat - 1];
  if (rule?.kind !== 'rule' || rule.chain.startsWith('KUBE-')) return null;
  return rule.origin === undefined || rule.origin.by === 'operator' || rule.origin.by === 'dump' ? rule : null;
}

/** "filter FORWARD", "filter FORWARD of iptables-legacy". */
export function chainOf({ table, chain, legacy }: RuleEvent | PolicyEvent): string {
  return `${table} ${chain}${legacy ? ' of iptables-legacy' : ''}`;
}

/** The program that changes the rules of iptables that an event is about. */
function programOf({ legacy, packet }: RuleEvent | PolicyEvent): string {
  const isIpv6 = packet?.src.includes(':') ?? false;
  return `${isIpv6 ? 'ip6tables' : 'iptables'}${legacy ? '-legacy' : ''}`;
}

/** The command that lets a chain accept what none of its rules decides. */
export function acceptByPolicy(event: PolicyEvent): string {
  const { family, table, chain } = event;
  if (family !== undefined) return `nft chain ${family} ${table} ${chain} '{ policy accept; }'`;
  return `${programOf(event)} -t ${table} -P ${chain} ACCEPT`;
}

/** The command that accepts UDP to a port ahead of what dropped it. */
export function acceptUdp(event: RuleEvent | PolicyEvent, port: number | undefined): string {
  const { family, table, chain, hook } = event;
  if (family !== undefined) return `nft insert rule ${family} ${table} ${chain} udp dport ${port ?? '0-65535'} accept`;
  return `${programOf(event)} -t ${table} -I ${hook} -p udp${port === undefined ? '' : ` --dport ${port}`} -j ACCEPT`;
}

/** "rule 3 of filter FORWARD". */
export function placeOf(rule: RuleEvent): string {
  return `rule ${rule.rule} of ${chainOf(rule)}`;
}

/** "rule 3 of filter FORWARD, `-A FORWARD -j DROP`". */
export function describeRule(rule: RuleEvent): string {
  return `${placeOf(rule)}, \`${rule.text}\``;
}

/** The command that takes a rule out again. */
export function deleteRule(rule: RuleEvent): string {
  const { family, table, chain } = rule;
  // nft knows a rule by its handle only, which a listing with -a shows.
  if (family !== undefined)
    return onHost(
      rule.host,
      `nft -a list chain ${family} ${table} ${chain}; nft delete rule ${family} ${table} ${chain} handle HANDLE`,
    );
  return onHost(rule.host, `${programOf(rule)} -t ${rule.table} ${rule.text.replace(/^-A /, '-D ')}`);
}

/** "tcp 10.244.0.2:40000 → 10.96.0.20:80". */
export function describePacket(packet: PacketView | null): string {
  if (!packet) return 'the packet';
  const end = (address: string, port: number | undefined): string =>
    port === undefined ? address : address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  return `${packet.protocol} ${end(packet.src, packet.sport)} → ${end(packet.dst, packet.dport)}`;
}
