import { isAhead } from '../legs.ts';
import { printableDeep } from '../printable.ts';
import { finish, percent } from '../style.ts';
import { commonPrefix, groupBranches } from './branches.ts';
import { folded } from './fold.ts';
import { gridOf, layOut } from './layout.ts';
import { endpoint, protocolName, shortName } from './names.ts';
import { verdictBlock } from './verdict.ts';
import { hopsView, rulesView, shortReplyView, summaryView } from './views.ts';
import type { TraceEvent } from '../../trace/event.ts';
import type { Leg, Outcome } from '../../trace/outcome.ts';
import type { DetailLevel, Trace, TraceList } from '../../trace/trace.ts';
import type { Style } from '../style.ts';
import type { Line } from './line.ts';
import type { DescribeRule, View } from './views.ts';

export interface TraceTextOptions {
  readonly detail: DetailLevel;
  readonly describe: DescribeRule;
}

/** Of ways that are like one another so many are named. */
const NAMED_ALIKE = 12;
/** Different ways that are shown in full; the verdict names the rest. */
const SHOWN_BRANCHES = 6;

const LEGEND = 'L0 network of the nodes · L1 of the pods · L2 services · L3 access from outside';

/** A trace for people. Ends with a line break. */
export function traceText(trace: Trace, options: TraceTextOptions, style: Style): string {
  return finish(`${render(printableDeep(trace), options, style).join('\n')}\n`, style);
}

/** Several traces, one below the other. */
export function traceListText(list: TraceList, options: TraceTextOptions, style: Style): string {
  return list.items
    .map((trace, i) => `${style.chalk.dim(`── ${i + 1} of ${list.items.length} ──`)}\n${traceText(trace, options, style)}`)
    .map((text) => finish(text, style))
    .join('\n');
}

/** A headline and the lines below it. */
interface Section {
  readonly title: string;
  readonly kind: 'part' | 'branch' | 'remark';
  readonly lines: readonly Line[];
}

function render(trace: Trace, options: TraceTextOptions, style: Style): readonly string[] {
  const told =
    trace.outcomes.length > 1
      ? branchedSections(trace.outcomes, options)
      : trace.outcomes.flatMap((outcome) => outcomeSections(outcome, 0, options));
  const sections = told.map((section) => ({ ...section, lines: folded(section.lines) }));
  const grid = gridOf(sections.flatMap((section) => section.lines));
  const body = sections.flatMap((section) => [...heading(section, style), ...layOut(section.lines, grid, style)]);
  const legend = options.detail === 'summary' ? [] : [style.chalk.dim(LEGEND)];
  const lines = [header(trace, style), ...legend, '', ...body, '', ...verdictBlock(trace, style)];
  return lines.filter((line, i) => line !== '' || lines[i - 1] !== '');
}

/** The packet fully resolved, and the network it meets. */
function header(trace: Trace, { chalk }: Style): string {
  const { packet } = trace;
  const from = packet ? `${trace.from} ${endpoint(packet.source, packet.sport)}` : trace.from;
  const address = packet ? endpoint(packet.destination, packet.dport) : '';
  const to = address === '' || trace.to === address ? trace.to : `${trace.to} ${address}`;
  const network = `${trace.network.cni} · kube-proxy ${trace.network.proxyMode}`;
  return `${chalk.bold(`${protocolName(trace.protocol)}  ${from} → ${to}`)}    ${chalk.dim(network)}`;
}

function heading({ title, kind }: Section, { chalk }: Style): readonly string[] {
  switch (kind) {
    case 'part':
      return [chalk.bold(title)];
    case 'branch':
      return ['', chalk.magenta.bold(title)];
    case 'remark':
      return [chalk.dim(title)];
  }
}

/** The shared way once, then each different way from where it parts. */
function branchedSections(outcomes: readonly Outcome[], options: TraceTextOptions): readonly Section[] {
  const shared = commonPrefix(outcomes);
  const groups = groupBranches(outcomes);
  const ahead = sharedAhead(outcomes);
  const start = [
    ...aheadSections(ahead, options),
    ...(shared === 0 ? [] : [requestSection(outcomes[0]!.request, 0, shared, options)]),
  ];
  const shown = groups.slice(0, SHOWN_BRANCHES).flatMap(({ shown, alike }) => {
    const title = `── ${percent(shown.probability)} ${branchName(shown)} ──`;
    const own = ahead.length === 0 ? shown : { ...shown, legs: shown.legs.filter((leg) => !isAhead(leg)) };
    return [{ title, kind: 'branch' as const, lines: [] }, ...outcomeSections(own, shared, options), ...alikeSection(alike)];
  });
  const left = groups.slice(SHOWN_BRANCHES).length;
  const rest =
    left === 0
      ? []
      : [{ title: `… and ${left} more ways, not shown here (-o json has all)`, kind: 'remark' as const, lines: [] }];
  return [...start, ...shown, ...rest];
}

/** The connections ahead of the asked one, where all outcomes have the same. */
function sharedAhead(outcomes: readonly Outcome[]): readonly Leg[] {
  const [first, ...others] = outcomes.map(({ legs }) => legs.filter(isAhead));
  const print = (legs: readonly Leg[]): string =>
    JSON.stringify(legs.map((leg) => [leg.purpose, leg.from, leg.to, leg.text, leg.answer, leg.verdict, way(leg.request)]));
  return first !== undefined && others.every((legs) => print(legs) === print(first)) ? first : [];
}

function branchName(outcome: Outcome): string {
  return outcome.server === null ? outcome.verdict : `to ${shortName(outcome.server)}`;
}

function alikeSection(alike: readonly Outcome[]): readonly Section[] {
  if (alike.length === 0) return [];
  const shares = new Map<string, number>();
  for (const outcome of alike) {
    const name = outcome.server ? shortName(outcome.server) : outcome.verdict;
    shares.set(name, (shares.get(name) ?? 0) + outcome.probability);
  }
  const names = [...shares].slice(0, NAMED_ALIKE).map(([name, share]) => `${name} (${percent(share)})`);
  const more = shares.size > NAMED_ALIKE ? ` and ${shares.size - NAMED_ALIKE} more` : '';
  return [{ title: `  in the same way: ${names.join(', ')}${more}`, kind: 'remark', lines: [] }];
}

/** One outcome; the first `from` events of its request have been told already. */
function outcomeSections(outcome: Outcome, from: number, options: TraceTextOptions): readonly Section[] {
  return [
    ...aheadSections(outcome.legs.filter(isAhead), options),
    ...(outcome.request.length > from ? [requestSection(outcome.request, from, outcome.request.length, options)] : []),
    ...outcome.legs.filter((leg) => !isAhead(leg)).flatMap((leg) => legSections(leg, options)),
    ...replySection(outcome.reply, options),
    ...followUpSection('ack', outcome.ack, outcome, options),
    ...followUpSection('data', outcome.data ?? [], outcome, options),
  ];
}

function requestSection(events: readonly TraceEvent[], from: number, to: number, options: TraceTextOptions): Section {
  // The view sees all events, since what a rule means hangs on those before and after it.
  const lines = viewOf(options)(events).filter((line) => line.event >= from && line.event < to);
  return { title: from === 0 ? '▼ request' : '▼ request goes on', kind: 'part', lines };
}

function replySection(events: readonly TraceEvent[], options: TraceTextOptions): readonly Section[] {
  if (events.length === 0) return [];
  const view = options.detail === 'hops' && !isLost(events) ? shortReplyView : viewOf(options);
  const lines = view(events);
  return [
    lines.length > 0
      ? { title: '▲ reply', kind: 'part', lines }
      : { title: '▲ reply    the same way back, unchanged', kind: 'remark', lines },
  ];
}

/** Later packets of a connection that went well mostly go the known way: one line says so. */
function followUpSection(
  part: 'ack' | 'data',
  events: readonly TraceEvent[],
  { request, reply }: Pick<Outcome, 'request' | 'reply'>,
  options: TraceTextOptions,
): readonly Section[] {
  if (events.length === 0) return [];
  const taken = JSON.stringify(way(events));
  // SCTP's COOKIE-ECHO has an answer.
  const andBack = taken === JSON.stringify([...way(request), ...way(reply)]) && taken !== JSON.stringify(way(request));
  const known = andBack || taken === JSON.stringify(way(request));
  if (options.detail === 'rules' || isLost(events) || (!known && options.detail === 'hops'))
    return [{ title: `▼ ${part}`, kind: 'part', lines: viewOf(options)(events) }];
  if (options.detail === 'summary') return [];
  const states = events.flatMap((event) => (event.kind === 'conntrack' && !event.outer ? [event.state] : []));
  const why =
    states.length > 0 && states.every((state) => state === 'ESTABLISHED')
      ? '; conntrack knows the connection, so no nat rule is asked again'
      : '';
  return [{ title: `▼ ${part.padEnd(4)}     the same way${andBack ? ' and back' : ''}${why}`, kind: 'remark', lines: [] }];
}

/** The hosts and devices that events pass. */
function way(events: readonly TraceEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.kind === 'rx' || event.kind === 'tx' ? [`${event.host} ${event.kind} ${event.device}`] : [],
  );
}

/** Queries mostly go the way of the query before: that is told once. */
function aheadSections(legs: readonly Leg[], options: TraceTextOptions): readonly Section[] {
  return legs.flatMap((leg, i) => {
    const before = legs[i - 1];
    const same =
      before !== undefined &&
      before.purpose === leg.purpose &&
      before.verdict === leg.verdict &&
      JSON.stringify(wayOf(before.request)) === JSON.stringify(wayOf(leg.request));
    const sections = legSections(leg, options);
    return same && options.detail !== 'rules' ? sections.map((section) => ({ ...section, lines: [] })) : sections;
  });
}

/** The hosts and devices that events pass, and what changed the packet there. */
function wayOf(events: readonly TraceEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.kind === 'nat') return [`${event.host} ${event.type} ${event.after.dst ?? ''}`];
    return event.kind === 'rx' || event.kind === 'tx' || event.kind === 'drop'
      ? [`${event.host} ${event.kind} ${event.device ?? ''}`]
      : [];
  });
}

/** A connection on the way. Of one that went well ahead of the asked one the rewrites and the delivery will do. */
function legSections(leg: Leg, options: TraceTextOptions): readonly Section[] {
  // Why a process makes a connection stands already where it took the one before.
  const what = leg.text === undefined || !isAhead(leg) ? '' : `${leg.text}: `;
  const title = `◆ ${leg.purpose}  ${what}${shortName(leg.from)} → ${shortName(leg.to)}: ${leg.answer ?? leg.verdict}`;
  const isWell = leg.verdict === 'connected';
  const view = isAhead(leg) && isWell && options.detail === 'hops' ? summaryView : viewOf(options);
  const start: Section = {
    title,
    kind: 'part',
    // Health checks are alike: of one that went well its answer will do.
    lines: isWell && (leg.purpose === 'probe' || (options.detail === 'summary' && isAhead(leg))) ? [] : view(leg.request),
  };
  const showsReply = leg.reply.length > 0 && (options.detail === 'rules' || isLost(leg.reply));
  return showsReply
    ? [start, { title: `  ▲ reply to ${leg.purpose}`, kind: 'part', lines: viewOf(options)(leg.reply) }]
    : [start];
}

function isLost(events: readonly TraceEvent[]): boolean {
  return events.some((event) => event.kind === 'drop');
}

function viewOf(options: TraceTextOptions): View {
  switch (options.detail) {
    case 'summary':
      return summaryView;
    case 'hops':
      return hopsView;
    case 'rules':
      return rulesView(options.describe);
  }
}
