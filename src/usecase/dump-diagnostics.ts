import { isUnknownRule } from '../kernel/netfilter/iptables/rule.ts';
import { otherFormat } from '../kernel/netfilter/iptables/save-format/other-formats.ts';
import { savedRules } from '../kubernetes/dumped-rules.ts';
import type { IptablesTables } from '../kernel/netfilter/iptables/table.ts';
import type { Dump } from '../kubernetes/dumped-rules.ts';
import type { Cluster } from '../kubernetes/model/cluster.ts';
import type { Diagnostic } from '../scenario/diagnostic.ts';

/** Of one dump this many unknown rules are told one by one; the rest is counted. */
const MAX_UNKNOWN_RULES = 20;

/**
 * What is wrong with the dumps of nodes, each told once: errors where k8snet can't know which rules are in force, warnings where a
 * dump looks cut short or holds rules that k8snet can't evaluate. With file and line.
 */
export function dumpDiagnostics(clusters: readonly Cluster[]): readonly Diagnostic[] {
  const dumps = new Map<string, Dump>();
  for (const { nodes } of clusters)
    for (const { iptablesSave } of nodes) if (iptablesSave) dumps.set(iptablesSave.file, iptablesSave);
  return [...dumps.values()].flatMap(ofDump);
}

function ofDump(dump: Dump): readonly Diagnostic[] {
  const { tables, legacy, tables6, diagnostics } = savedRules(dump);
  const all = [tables, ...(legacy ? [legacy] : []), tables6];
  const at = (severity: Diagnostic['severity'], code: string, line: number, message: string): Diagnostic => ({
    severity,
    code,
    message,
    position: { file: dump.file, line, column: 1 },
  });
  const told = diagnostics.map(({ severity, line, message }) => at(severity, 'dump', line, message));
  if (all.every((each) => each.size === 0)) {
    if (told.some(({ severity }) => severity === 'error')) return told;
    // iptables-save prints nothing but comments where no table has been made.
    if (!/^\s*[^#\s]/m.test(dump.text))
      return [...told, at('warning', 'empty-dump', 1, 'the dump has no table: no rule is in force')];
    const what = otherFormat(dump.text);
    const message = `this is no output of iptables-save${what === null ? '' : `, but ${what}`}`;
    return [{ ...at('error', 'not-a-dump', 1, message), hint: 'Give what iptables-save prints on the node' }];
  }
  const unknown = all.flatMap(unknownRules);
  const rest = unknown.length - MAX_UNKNOWN_RULES;
  return [
    ...told,
    ...unknown
      .slice(0, MAX_UNKNOWN_RULES)
      .map(({ line, body }) => at('warning', 'unknown-rule', line, `k8snet can't evaluate this rule: ${body}`)),
    ...(rest > 0 ? [at('warning', 'unknown-rule', 1, `k8snet can't evaluate ${rest} more rules`)] : []),
  ];
}

/** Rules are read once a shape: those of a large cluster are the same few, over and over, with other numbers and comments. */
function unknownRules(tables: IptablesTables): { readonly line: number; readonly body: string }[] {
  const shapes = new Map<string, boolean>();
  const found: { readonly line: number; readonly body: string }[] = [];
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
