import type { Host } from '../../kernel/host.ts';
import type { Rule, Table, TableName } from '../../kernel/netfilter/iptables/table.ts';
import { TABLE_NAMES } from '../../kernel/netfilter/iptables/table.ts';
import type { PolicyEvent, RuleEvent } from '../../trace/event.ts';
import type { Cause, CauseCode } from '../../trace/outcome.ts';
import { droppingRule } from './dropped-by-rule.ts';
import { lastBefore, packetAt } from './evidence.ts';
import type { Evidence, Site } from './evidence.ts';
import { probe } from './rule-probe.ts';
import type { ProbedPacket } from './rule-probe.ts';

const ASKED: readonly CauseCode[] = ['rule-drop', 'rule-reject', 'policy-drop', 'tunnel-blocked'];
/** Rules looked at before the search is given up. */
const BUDGET = 2000;
const DEEPEST = 8;

/** A rule that accepts, and the conditions on the way to it that the packet does not meet. */
interface Candidate {
  readonly chain: string;
  readonly number: number;
  readonly body: string;
  readonly failed: readonly string[];
  /** It is meant for this packet by an address, a port or a device that fits, or stands right ahead of the drop. */
  readonly isNear: boolean;
}

/** A condition that says what a rule is about. */
const TELLING = /(^| )-[sdio] |--[sd]ports? /;

/**
 * "Why not": the rule ahead of the drop, in the same table, that would have accepted the packet but for one condition (two at
 * most), and that condition. null where there is none so near, or where events don't tell enough to ask.
 */
export function whyNot(evidence: Evidence, site: Site, cause: Cause): string | null {
  const dropping = ASKED.includes(cause.code) ? droppingRule(site) : null;
  const host = evidence.world.host(site.host);
  const view = packetAt(site);
  if (!dropping || !host || !view || dropping.event.family !== undefined) return null;
  const { event } = dropping;
  const tableName = TABLE_NAMES.find((name) => name === event.table);
  const table = tableName && (event.legacy ? host.netfilter.iptablesLegacy : host.netfilter.iptables)?.get(tableName);
  if (!table || !tableName) return null;
  const packet = probedPacket(host, tableName, event, site, view);
  const best = nearest(candidates(table, event, packet));
  if (!best) return null;
  const rule = `-A ${best.chain} ${best.body}`;
  return `rule ${best.number} of ${event.table} ${best.chain}, \`${rule}\`, would have let it through, but ${best.failed.map((text) => fails(text, packet)).join(' and ')}`;
}

function probedPacket(
  host: Host,
  table: TableName,
  { hook }: RuleEvent | PolicyEvent,
  site: Site,
  view: NonNullable<ReturnType<typeof packetAt>>,
): ProbedPacket {
  const sameLayer = (e: Site['events'][number]): boolean => (e.outer ?? false) === (site.drop?.outer ?? false);
  const arrival = site.events[lastBefore(site, (e) => e.kind === 'rx' && sameLayer(e))];
  const route = site.events[lastBefore(site, (e) => e.kind === 'route' && sameLayer(e))];
  const tracked = site.events[lastBefore(site, (e) => e.kind === 'conntrack' && sameLayer(e))];
  const device = arrival?.kind === 'rx' ? arrival.device : null;
  const comesIn = hook === 'PREROUTING' || hook === 'INPUT' || hook === 'FORWARD';
  const goesOut = hook !== 'PREROUTING' && hook !== 'INPUT';
  const bridge = device === null ? null : (host.devices.get(device)?.master ?? device);
  return {
    host,
    hook,
    table,
    view,
    inDevice: comesIn ? bridge : null,
    outDevice: !goesOut ? null : route?.kind === 'route' ? route.dev : bridge,
    conntrack: tracked?.kind === 'conntrack' ? tracked.state : null,
  };
}

/** Every rule that accepts ahead of the drop, reached through jumps too. */
function candidates(table: Table, dropping: RuleEvent | PolicyEvent, packet: ProbedPacket): Candidate[] {
  const found: Candidate[] = [];
  let budget = BUDGET;
  const search = (name: string, failed: readonly string[], fits: boolean, depth: number): void => {
    const chain = table.chain(name);
    const end = dropping.kind === 'rule' && dropping.chain === name ? dropping.rule - 1 : (chain?.length ?? 0);
    for (let i = 0; chain && i < end && budget > 0; i++, budget--) {
      const rule = chain.rule(i);
      const { action } = rule.target;
      if (action.kind !== 'accept' && action.kind !== 'jump' && action.kind !== 'goto') continue;
      const unmet = unmetConditions(rule, packet);
      if (unmet === null || failed.length + unmet.length > 2) continue;
      const all = [...failed, ...unmet];
      const isNear = fits || rule.matches.some(({ text }) => TELLING.test(text) && !unmet.includes(text));
      if (action.kind === 'accept')
        found.push({ chain: name, number: i + 1, body: rule.body, failed: all, isNear: isNear || name === dropping.chain });
      else if (depth < DEEPEST) search(action.chain, all, isNear, depth + 1);
    }
  };
  search(dropping.hook, [], false, 0);
  return found.filter(({ failed, isNear }) => failed.length > 0 && isNear);
}

/** null: it can't be told whether one of the rule's conditions holds. */
function unmetConditions(rule: Rule, packet: ProbedPacket): readonly string[] | null {
  const unmet: string[] = [];
  for (const match of rule.matches) {
    const holds = probe(match, packet);
    if (holds === 'unknown') return null;
    if (!holds) unmet.push(match.text);
  }
  return unmet;
}

/** The one with the fewest unmet conditions. That a packet is no answer says less than anything else does. */
function nearest(all: readonly Candidate[]): Candidate | null {
  const weight = ({ failed }: Candidate): number =>
    failed.reduce((sum, text) => sum + (/state /.test(text) ? 1.6 : /--mark/.test(text) ? 1.3 : 1), 0);
  return all.reduce<Candidate | null>((best, next) => (best === null || weight(next) < weight(best) ? next : best), null);
}

/** A condition and what the packet has instead. */
function fails(text: string, { view, inDevice, outDevice, conntrack }: ProbedPacket): string {
  const has = ((): string | null => {
    if (/(^| )-s /.test(text)) return `its source is ${view.src}`;
    if (/(^| )-d /.test(text)) return `its destination is ${view.dst}`;
    if (/(^| )-i /.test(text)) return `it came in by ${inDevice ?? 'no device'}`;
    if (/(^| )-o /.test(text)) return `it goes out by ${outDevice ?? 'no device'}`;
    if (/(^| )-p /.test(text)) return `it is ${view.protocol}`;
    if (/--dports? /.test(text)) return `its destination port is ${view.dport ?? 'none'}`;
    if (/--sports? /.test(text)) return `its source port is ${view.sport ?? 'none'}`;
    if (/--mark /.test(text)) return `its mark is 0x${(view.mark ?? 0).toString(16)}`;
    if (/state /.test(text)) return `its connection is ${conntrack ?? 'unknown'}`;
    return null;
  })();
  return `\`${text}\` does not hold${has === null ? '' : `: ${has}`}`;
}
