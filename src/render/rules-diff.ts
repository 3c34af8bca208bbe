import { printableDeep } from './printable.ts';
import { finish, wrap } from './style.ts';
import type { ChangedRule, ComparedRule, RulesDiff } from '../trace/rules-diff.ts';
import type { Style } from './style.ts';

/**
 * How a node's rules differ from what its cluster asks for, as people read a diff: `-` is missing on the node, `+` is there and should
 * not be. Each rule names the object behind it. Ends with a line break.
 */
export function rulesDiffText(diff: RulesDiff, style: Style): string {
  const { node, missing, extra, changed, moved, policies, foreign, same } = printableDeep(diff);
  const { chalk } = style;
  const sections = [
    section(
      'missing on the node',
      missing.flatMap((rule) => ruleLines('-', rule, style)),
      style,
    ),
    section(
      'on the node, but not expected',
      extra.flatMap((rule) => ruleLines('+', rule, style)),
      style,
    ),
    section(
      'changed',
      changed.flatMap((pair) => pairLines(pair, style)),
      style,
    ),
    section(
      'at another place',
      moved.flatMap((pair) => movedLines(pair, style)),
      style,
    ),
    section(
      'another policy',
      policies.map((p) => `  ${p.table} ${p.chain}: expected ${chalk.green(p.expected)}, found ${chalk.red(p.actual)}`),
      style,
    ),
    section(
      'made by others, not compared',
      foreign.map((rule) => chalk.dim(`    ${ruleText(rule)}`)),
      style,
    ),
  ].filter((lines) => lines.length > 0);
  const counts = `${missing.length} missing, ${extra.length} extra, ${changed.length} changed, ${moved.length} moved`;
  const verdict = same
    ? chalk.green.bold(`SAME  ${node} has the rules that the cluster asks for`)
    : chalk.red.bold(`DIFFERENT  ${node}: ${counts}`);
  return finish(`${[...sections.flatMap((lines) => [...lines, '']), verdict].join('\n')}\n`, style);
}

function section(title: string, lines: readonly string[], { chalk }: Style): readonly string[] {
  return lines.length === 0 ? [] : [chalk.bold(title), ...lines];
}

function ruleLines(sign: '-' | '+', rule: ComparedRule, style: Style): readonly string[] {
  const paint = sign === '-' ? style.chalk.red : style.chalk.green;
  return [paint(`  ${sign} ${ruleText(rule)}`), ...remark(rule, style)];
}

function pairLines({ expected, actual }: ChangedRule, style: Style): readonly string[] {
  return [style.chalk.red(`  - ${ruleText(expected)}`), style.chalk.green(`  + ${ruleText(actual)}`), ...remark(expected, style)];
}

function movedLines({ expected, actual }: ChangedRule, style: Style): readonly string[] {
  return [
    `    ${ruleText(actual)}`,
    style.chalk.dim(`      should be #${expected.rule} of its chain, is #${actual.rule}`),
    ...remark(expected, style),
  ];
}

/** Elements of sets and maps stand in braces; no rule of iptables or nftables begins with one. */
function ruleText({ table, chain, text }: ComparedRule): string {
  if (!table.includes(' ')) return `${table} -A ${chain} ${text}`;
  return `${text.startsWith('{') ? 'element' : 'rule'} ${table} ${chain} ${text}`;
}

/** What the rule is for, whose it is and where it stands. */
function remark({ purpose, origin, source, rule, chain }: ComparedRule, style: Style): readonly string[] {
  const whose = origin ? [origin.object, origin.by].filter((part) => part !== null).join(', ') : '';
  const place = source ? `${source.file}:${source.line}` : `${chain} #${rule}`;
  const text = [purpose ?? '', whose, place].filter((part) => part !== '').join(' · ');
  return wrap(text, style.width - 6).map((line) => style.chalk.dim(`      ${line}`));
}
