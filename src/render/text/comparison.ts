import { printableDeep } from '../printable.ts';
import { finish, wrap } from '../style.ts';
import { commonPrefix } from './branches.ts';
import { ipvsText, tableText } from './event-line.ts';
import { endpoint, protocolName, shortName } from './names.ts';
import { WORDS } from './verdict.ts';
import type { NatEvent, TraceEvent } from '../../trace/event.ts';
import type { DifferenceAspect, ModeComparison } from '../../trace/mode-comparison.ts';
import type { Outcome } from '../../trace/outcome.ts';
import type { Trace } from '../../trace/trace.ts';
import type { Style } from '../style.ts';

/** One packet under several proxy modes: a row for each, where each decided, and what differs and why. Ends with a line break. */
export function comparisonText(comparison: ModeComparison, style: Style): string {
  const { traces, differences } = printableDeep(comparison);
  const modeWidth = Math.max(...traces.map((trace) => trace.network.proxyMode.length));
  const lines = [
    ...header(traces, style),
    '',
    ...table(traces, style),
    '',
    style.chalk.bold('where the choice fell'),
    ...traces.flatMap((trace) => labelled(trace.network.proxyMode, decision(trace), modeWidth, style)),
    '',
    ...differenceLines(differences, style),
    ...remarks(traces, style),
    '',
    style.chalk.dim('One of them hop by hop: --proxy-mode MODE; all of them: --detail rules'),
  ];
  return finish(`${lines.join('\n')}\n`, style);
}

function header(traces: readonly Trace[], style: Style): readonly string[] {
  const [first] = traces;
  if (!first) return [];
  const { packet, network } = first;
  const from = packet ? `${first.from} ${endpoint(packet.source, packet.sport)}` : first.from;
  const address = packet ? endpoint(packet.destination, packet.dport) : '';
  const to = address === '' || first.to === address ? first.to : `${first.to} ${address}`;
  return [
    style.chalk.bold(`${protocolName(first.protocol)}  ${from} → ${to}`),
    style.chalk.dim(`${network.cni} · the same packet under ${traces.length} modes of kube-proxy`),
  ];
}

const TITLES = ['', 'verdict', 'server', 'it saw', 'rules', 'connections'];
/** The columns with numbers. */
const RIGHT: ReadonlySet<number> = new Set([4, 5]);

/** Cells of several lines: a server each. */
function table(traces: readonly Trace[], style: Style): readonly string[] {
  const rows = traces.map((trace) => ({ trace, cells: cellsOf(trace) }));
  const widths = TITLES.map((title, c) =>
    Math.max(title.length, ...rows.flatMap(({ cells }) => cells[c]!.map((line) => line.length))),
  );
  const lay = (texts: readonly string[]): string =>
    texts
      .map((text, c) => (RIGHT.has(c) ? text.padStart(widths[c]!) : text.padEnd(widths[c]!)))
      .join('  ')
      .trimEnd();
  const body = rows.flatMap(({ trace, cells }) => {
    const height = Math.max(...cells.map((cell) => cell.length));
    return Array.from({ length: height }, (_, n) => {
      const text = lay(cells.map((cell) => cell[n] ?? ''));
      return n === 0 ? toned(text, trace, style) : text;
    });
  });
  return [style.chalk.dim(lay(TITLES)), ...body];
}

/** The verdict in its colour. */
function toned(text: string, trace: Trace, { chalk }: Style): string {
  const word = verdictWord(trace);
  return text.replace(word, trace.outcomes.every(isWell) ? chalk.green.bold(word) : chalk.red.bold(word));
}

/** More servers than these are counted. */
const LISTED = 3;

function cellsOf(trace: Trace): readonly (readonly string[])[] {
  const { outcomes, network } = trace;
  const pairs = [...new Set(outcomes.map(({ server, source }) => JSON.stringify([server ?? '-', source ?? '-'])))].map(
    (pair) => JSON.parse(pair) as [string, string],
  );
  const shown = pairs.length > LISTED ? pairs.slice(0, LISTED - 1) : pairs;
  const more = pairs.length > shown.length ? [`and ${pairs.length - shown.length} more`] : [];
  const rules = outcomes.map(({ rulesLookedAt }) => rulesLookedAt ?? 0);
  const connections = outcomes.map(
    ({ legs }) => 1 + legs.filter(({ purpose }) => purpose === 'proxy' || purpose === 'tunnel').length,
  );
  return [
    [network.proxyMode],
    [verdictWord(trace)],
    [...shown.map(([server]) => shortName(server)), ...more],
    shown.map(([, source]) => source),
    [range(rules)],
    [range(connections)],
  ];
}

function verdictWord({ outcomes }: Trace): string {
  const words = new Set(outcomes.map((outcome) => (isLost(outcome) ? 'BLACK HOLE' : WORDS[outcome.verdict])));
  return words.size === 1 ? [...words][0]! : 'IT DEPENDS';
}

function isWell(outcome: Outcome): boolean {
  return outcome.verdict === 'connected' && !isLost(outcome);
}

/** The client believes in a connection of which no server knows. */
function isLost({ verdict, server }: Outcome): boolean {
  return verdict === 'connected' && server === null;
}

function range(numbers: readonly number[]): string {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  return low === high ? String(low) : `${low}-${high}`;
}

/** Host, hook and rule (or virtual server, or process) that chose where the packet goes; what stopped it, where something did. */
function decision({ outcomes }: Trace): string {
  const failed = outcomes.find((outcome) => !isWell(outcome));
  const outcome = failed ?? outcomes[0];
  if (!outcome) return '';
  const stopped = failed && stoppedAt(failed);
  if (stopped) return stopped;
  const { request } = outcome;
  const at = request.findLastIndex((event) => event.kind === 'nat' && event.type === 'dnat' && event.outer !== true);
  const nat = request[at] as NatEvent | undefined;
  const proxy = request.findLast((event) => event.kind === 'proxy');
  const parting = outcomes.length > 1 && !proxy ? request.slice(0, commonPrefix(outcomes)).findLast(isRule) : undefined;
  const rule = nat?.ipvs === undefined ? (parting ?? request.slice(0, Math.max(0, at)).findLast(isRule)) : undefined;
  const how = nat?.ipvs ? `${place(nat)}: ${ipvsText(nat.ipvs)}` : rule ? ruleText(rule) : '';
  if (proxy) return `${shortName(proxy.host)}, a process (${nat ? `port ${nat.after.dport ?? '?'}, by ` : ''}${how})`;
  return how === '' ? 'no rule: routes alone' : how;
}

function stoppedAt(outcome: Outcome): string | null {
  const { at } = outcome.cause ?? {};
  if (!at) return null;
  const source = at.leg === 0 ? outcome : outcome.legs[at.leg - 1];
  const events = at.part === 'data' ? (outcome.data ?? []) : (source?.[at.part] ?? []);
  const event = events[at.event];
  if (event === undefined) return null;
  if (event.kind === 'rule') return ruleText(event);
  if (event.kind === 'policy')
    return `${place(event)}: ${tableText(event)} ${event.chain}, policy ${event.verdict.toUpperCase()}`;
  const before = events[at.event - 1];
  if (before !== undefined && before.host === event.host && isRule(before) && before.verdict === 'drop') return ruleText(before);
  return event.kind === 'drop' ? `${shortName(event.host)}: ${event.reason}` : shortName(event.host);
}

type RuleOf = Extract<TraceEvent, { kind: 'rule' }>;

function isRule(event: TraceEvent): event is RuleOf {
  return event.kind === 'rule';
}

function ruleText(event: RuleOf): string {
  return `${place(event)}: ${event.family ? `${event.family} ` : ''}${tableText(event)} ${event.chain} #${event.rule}`;
}

function place({ host, hook }: { readonly host: string; readonly hook: string }): string {
  return `${shortName(host)} ${hook}`;
}

const ASPECTS: Readonly<Record<DifferenceAspect, string>> = {
  verdict: 'verdict',
  server: 'server',
  source: 'it saw',
  decision: 'way',
  connections: 'connections',
  rules: 'rules',
};

function differenceLines(differences: ModeComparison['differences'], style: Style): readonly string[] {
  if (differences.length === 0) return ['The modes do not differ.'];
  const width = Math.max(...Object.values(ASPECTS).map((title) => title.length));
  const lines = differences.flatMap(({ aspect, modes, text }, i) => {
    const title = differences[i - 1]?.aspect === aspect ? '' : ASPECTS[aspect];
    return labelled(title, `${modes.join(', ')}: ${text}`, width, style);
  });
  return [style.chalk.bold('what differs, and why'), ...lines];
}

function labelled(label: string, text: string, width: number, style: Style): readonly string[] {
  return wrap(text, style.width - width - 4).map(
    (line, n) => `  ${style.chalk.dim((n === 0 ? label : '').padEnd(width))}  ${line}`,
  );
}

/** What was assumed, with the modes it is about unless that is all of them. */
function remarks(traces: readonly Trace[], style: Style): readonly string[] {
  const modes = new Map<string, string[]>();
  for (const { assumptions, notes = [], notModelled, network } of traces) {
    for (const text of [...assumptions, ...notes, ...notModelled])
      modes.set(text, [...(modes.get(text) ?? []), network.proxyMode]);
  }
  if (modes.size === 0) return [];
  const lines = [...modes].flatMap(([text, about]) =>
    labelled('', about.length === traces.length ? text : `${about.join(', ')}: ${text}`, 0, style),
  );
  return ['', style.chalk.bold('assumed'), ...lines];
}
