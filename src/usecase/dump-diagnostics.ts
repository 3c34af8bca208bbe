import { isUnknownRule } from '../kernel/netfilter/iptables/rule.ts';
import { otherFormat } from '../kernel/netfilter/iptables/save-format/other-formats.ts';
import { isUnknownNftRule } from '../kernel/netfilter/nftables/parse-rule.ts';
import { HOOK_NAME } from '../kernel/netfilter/nftables-hooks.ts';
import { listedRuleset, nftTablesOf, savedRules } from '../kubernetes/dumped-rules.ts';
import type { IptablesTables } from '../kernel/netfilter/iptables/table.ts';
import type { NftRuleset } from '../kernel/netfilter/nftables/ruleset.ts';
import type { Cluster, DumpFile, Node } from '../kubernetes/model/cluster.ts';
import type { Diagnostic } from '../scenario/diagnostic.ts';

/** Of one dump this many unknown rules are told one by one; the rest is counted. */
const MAX_UNKNOWN_RULES = 20;

/**
 * What is wrong with the dumps of nodes, each told once: errors where k8snet can't know which rules are in force, warnings where a
 * dump looks cut short or holds rules that k8snet can't evaluate. With file and line.
 */
export function dumpDiagnostics(clusters: readonly Cluster[]): readonly Diagnostic[] {
  const saves = new Map<string, DumpFile>();
  const listings = new Map<string, Node>();
  for (const node of clusters.flatMap(({ nodes }) => nodes)) {
    if (node.iptablesSave) saves.set(node.iptablesSave.file, node.iptablesSave);
    if (node.nftRuleset) listings.set(node.nftRuleset.file, node);
  }
  return [...[...saves.values()].flatMap(ofSave), ...[...listings.values()].flatMap(ofListing)];
}

function ofSave(dump: DumpFile): readonly Diagnostic[] {
  const { tables, legacy, tables6, diagnostics } = savedRules(dump);
  const all = [tables, ...(legacy ? [legacy] : []), tables6];
  const told = diagnostics.map(({ severity, line, message }) => at(dump, severity, 'dump', line, message));
  if (all.every((each) => each.size === 0)) {
    if (told.some(({ severity }) => severity === 'error')) return told;
    // iptables-save prints nothing but comments where no table has been made.
    if (isBlank(dump)) return [...told, at(dump, 'warning', 'empty-dump', 1, 'the dump has no table: no rule is in force')];
    return [notADump(dump, 'iptables-save', otherFormat(dump.text))];
  }
  return [...told, ...unknownRuleWarnings(dump, all.flatMap(unknownRules))];
}

/** A node stands for all that have its dump of nftables: which tables of it count hangs on the other dump. */
function ofListing(node: Node): readonly Diagnostic[] {
  const dump = node.nftRuleset!;
  const listed = listedRuleset(dump);
  if (!listed.ok) {
    const what =
      otherFormat(dump.text) ?? (/^\*(?:filter|nat|mangle|raw|security)$/m.test(dump.text) ? 'output of iptables-save' : null);
    if (what !== null && what !== LISTING) return [notADump(dump, 'nft list ruleset', what)];
    return [at(dump, 'error', 'dump', listed.line, `can't be read: ${listed.message}`)];
  }
  if (isBlank(dump)) return [at(dump, 'warning', 'empty-dump', 1, 'the dump has no table: no rule is in force')];
  const tables = nftTablesOf(node);
  return [...unheardChains(dump, tables), ...unknownRuleWarnings(dump, unknownNftRules(tables))];
}

const LISTING = 'output of nft list ruleset';

function at(dump: DumpFile, severity: Diagnostic['severity'], code: string, line: number, message: string): Diagnostic {
  return { severity, code, message, position: { file: dump.file, line, column: 1 } };
}

function isBlank({ text }: DumpFile): boolean {
  return !/^\s*[^#\s]/m.test(text);
}

function notADump(dump: DumpFile, program: string, what: string | null): Diagnostic {
  const message = `this is no output of ${program}${what === null ? '' : `, but ${what}`}`;
  return { ...at(dump, 'error', 'not-a-dump', 1, message), hint: `Give what ${program} prints on the node` };
}

interface UnknownRule {
  readonly line: number;
  readonly body: string;
}

function unknownRuleWarnings(dump: DumpFile, unknown: readonly UnknownRule[]): readonly Diagnostic[] {
  const rest = unknown.length - MAX_UNKNOWN_RULES;
  const warning = (line: number, message: string) => at(dump, 'warning', 'unknown-rule', line, message);
  return [
    ...unknown.slice(0, MAX_UNKNOWN_RULES).map(({ line, body }) => ({
      ...warning(line, `k8snet can't evaluate this rule: ${body}`),
      // iptables-nft's own statements, which nft can only name.
      ...(/\bxt (?:match|target) "/.test(body) && {
        hint: "Give iptables-save's output too (iptablesSave): it says the whole rule",
      }),
    })),
    ...(rest > 0 ? [warning(1, `k8snet can't evaluate ${rest} more rules`)] : []),
  ];
}

/** Base chains that see packets where k8snet does not walk rules of nftables: bridge, netdev, ingress. */
function unheardChains(dump: DumpFile, tables: NftRuleset): readonly Diagnostic[] {
  return tables.flatMap(({ family, name: table, baseChains }) =>
    [...baseChains()].flatMap(({ name, base, rules }) => {
      if (rules.length === 0 && base?.policy !== 'drop') return [];
      if (family !== 'bridge' && family !== 'netdev' && base !== null && HOOK_NAME[base.hook] !== undefined) return [];
      if (family === 'arp') return [];
      const message = `chain ${name} of table ${family} ${table} is left out: k8snet knows hooks of ip, ip6 and inet only, and no ingress`;
      return [at(dump, 'warning', 'unknown-rule', rules[0]?.source?.line ?? 1, message)];
    }),
  );
}

function unknownNftRules(tables: NftRuleset): readonly UnknownRule[] {
  return tables.flatMap(({ chains }) =>
    [...chains()].flatMap(({ rules }) =>
      rules.flatMap(({ text, source }) => (isUnknownNftRule(text) ? [{ line: source?.line ?? 1, body: text }] : [])),
    ),
  );
}

/** Rules are read once a shape: those of a large cluster are the same few, over and over, with other numbers and comments. */
function unknownRules(tables: IptablesTables): readonly UnknownRule[] {
  const shapes = new Map<string, boolean>();
  const found: UnknownRule[] = [];
  for (const table of tables.values()) {
    for (const name of table.chainNames()) {
      const chain = table.chain(name);
      for (let i = 0; chain !== undefined && i < chain.length; i++) {
        const shape = shapeOf(chain.body(i));
        const unknown = shapes.get(shape) ?? isUnknownRule(chain.rule(i));
        shapes.set(shape, unknown);
        if (!unknown) continue;
        const rule = chain.rule(i);
        found.push({ line: rule.source?.line ?? 1, body: rule.body });
      }
    }
  }
  return found;
}

/** A rule without its comments, numbers and the hashes in kube-proxy's chain names. */
function shapeOf(body: string): string {
  return body.replace(/"[^"]*"|[A-Z2-7]{16}|\d+/g, '0');
}
