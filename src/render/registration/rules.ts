import { wrap } from '../style.ts';
import { beside, columns, firstOf, namespaceOf, within } from './table.ts';
import type { RegistrationChain, RegistrationNodes, RegistrationStep, ServiceRegistration } from '../../trace/explanation.ts';
import type { Style } from '../style.ts';

/** Nodes named in front of their rules; endpoints listed in a chain. */
const MOST_NODES = 6;
const MOST_STEPS = 12;

/** What the nodes hold of a service: alike ones once. */
export function ruleLines(made: ServiceRegistration, style: Style): readonly string[] {
  const namespace = namespaceOf(made.name);
  const groups = made.nodes.map((group) => groupLines(group, made, namespace, style));
  const more =
    made.moreNodes === 0
      ? []
      : [style.chalk.dim(`${made.moreNodes} more nodes, with other endpoints again (--node NAME shows one)`)];
  return [...groups.flatMap((lines, i) => (i === 0 ? lines : ['', ...lines])), ...more, ...endpointChainNote(made, style)];
}

function groupLines(group: RegistrationNodes, made: ServiceRegistration, namespace: string, style: Style): readonly string[] {
  const { chalk, width } = style;
  const isAll = made.nodes.length === 1 && group.nodes.length > 1;
  const title = `${isAll ? 'alike on all nodes: ' : ''}${firstOf(group.nodes, MOST_NODES)}`;
  const dump = group.dumps.length === 0 ? '' : `rules from ${group.dumps.join(', ')}`;
  const entries = group.entries.flatMap(({ takes, place, leadsTo, sentence }) => {
    const arrow = leadsTo === null ? place : `${place} → ${leadsTo}`;
    const lines = arrow.length + 4 <= width ? [arrow] : [place, `  → ${leadsTo}`];
    return [...beside(`  ${takes}`, sentence, width), ...lines.map((line) => `    ${line}`)];
  });
  return [
    ...beside(title, dump, width).map((line) => chalk.cyan(line)),
    ...group.notes.flatMap((note) => beside('  ·', note, width, 1).map((line) => chalk.yellow(line))),
    ...(entries.length === 0 ? ['  no rule'] : entries),
    ...group.chains.flatMap((chain) => chainLines(chain, namespace, style)),
  ];
}

/** What the chains do that are not shown: they are all alike. */
function endpointChainNote({ nodes }: ServiceRegistration, { chalk, width }: Style): readonly string[] {
  const chains = nodes.flatMap((group) => group.chains);
  const prefix = ['KUBE-SEP', 'endpoint'].find((start) =>
    chains.some(({ steps }) => steps.some(({ leadsTo }) => leadsTo?.startsWith(`${start}-`))),
  );
  if (prefix === undefined) return [];
  const text = `Each ${prefix}- chain rewrites the destination to its endpoint (DNAT); a pod that reaches itself is masqueraded.`;
  return wrap(text, width).map((line) => chalk.dim(line));
}

function chainLines({ name, sentence, steps }: RegistrationChain, namespace: string, { chalk, width }: Style): readonly string[] {
  const shown = steps.slice(0, MOST_STEPS);
  const rows = stepRows(shown, namespace, true);
  const fits = rows.every((row, i) => chainOf(shown[i]!) === '' || row.length + STEP.length <= width);
  const head = beside(`  ${name}`, sentence, width).map((line, i) =>
    i === 0 ? line.slice(0, 2 + name.length) + chalk.dim(line.slice(2 + name.length)) : chalk.dim(line),
  );
  const named = fits ? rows : stepRows(shown, namespace, false);
  const lines = shown.flatMap((step, i) => {
    if (targetOf(step, namespace) === '') return beside(`${STEP}#${step.rule}`.padEnd(STEP.length + 3), step.sentence, width);
    const chain = fits ? '' : chainOf(step);
    return [STEP + named[i]!, ...(chain === '' ? [] : [chalk.dim(`${STEP}    ${chain}`)])];
  });
  return [...head, ...lines, ...(steps.length > shown.length ? [chalk.dim(`${STEP}${steps.length - shown.length} more`)] : [])];
}

const STEP = '    ';

/** Only rules that lead somewhere stand in columns: the sentences of others are as long as they are. */
function stepRows(steps: readonly RegistrationStep[], namespace: string, named: boolean): readonly string[] {
  const cells = steps.map((step) => [
    `#${step.rule}`.padEnd(3),
    step.sentence,
    targetOf(step, namespace),
    ...(named ? [chainOf(step)] : []),
  ]);
  const leading = columns(cells.filter(([, , target]) => target !== ''));
  let next = 0;
  return cells.map(([rule, sentence, target]) => (target === '' ? `${rule}  ${sentence}` : leading[next++]!));
}

function targetOf({ endpoint, pod, leadsTo }: RegistrationStep, namespace: string): string {
  if (endpoint === null) return leadsTo === null ? '' : `→ ${leadsTo}`;
  return `${endpoint}${pod === null ? '' : ` ${within(pod, namespace)}`}`;
}

function chainOf({ endpoint, leadsTo }: RegistrationStep): string {
  return endpoint === null || leadsTo === null ? '' : `→ ${leadsTo}`;
}
