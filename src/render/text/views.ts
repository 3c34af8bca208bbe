import { decisivePositions, isAboutAddresses } from './hook-path.ts';
import { eventLine, tableText } from './event-line.ts';
import type { NatEvent, RuleEvent, TraceEvent } from '../../trace/event.ts';
import type { Line } from './line.ts';

/** Which events a view shows, as lines. */
export type View = (events: readonly TraceEvent[]) => readonly Line[];

/** Says in a sentence what a matched rule is for and whose it is; null when nothing is known. */
export type DescribeRule = (event: RuleEvent) => string | null;

/** Devices that say something, hooks that changed or decided something, routes: the default view. */
export const hopsView: View = (events) => {
  const decisive = decisivePositions(events);
  return linesOf(events, (event, i) => {
    switch (event.kind) {
      case 'rule':
      case 'policy':
        return decisive.has(i);
      case 'tx':
        return i === 0;
      case 'rx':
        return tellsArrival(events, i);
      case 'bridge':
        return event.host !== 'underlay';
      case 'conntrack':
        return event.state !== 'NEW' && event.state !== 'ESTABLISHED';
      case 'route':
        return event.entry === null || (event.outer !== true && event.table !== 'local');
      case 'neighbour':
        return event.mac === null;
      case 'drop':
        return !isToldByRule(events, i);
      default:
        return true;
    }
  })
    .map((line) => withoutMacs(line, events))
    .map(withoutEcho);
};

/** MAC addresses are for the most detailed view. */
function withoutMacs(line: Line, events: readonly TraceEvent[]): Line {
  const { kind } = events[line.event]!;
  return kind === 'tx' || kind === 'rx' ? { ...line, note: undefined } : line;
}

/** kube-proxy's rules of one service bear the same comment: it is told once. */
function withoutEcho(line: Line, i: number, lines: readonly Line[]): Line {
  const before = lines[i - 1];
  const echo =
    line.note !== undefined && before?.host === line.host && before.place === line.place && before.note?.includes(line.note);
  return echo ? { ...line, note: undefined } : line;
}

/** Rewrites, tunnels, delivery and losses only. */
export const summaryView: View = (events) => linesOf(events, (event, i) => isLandmark(event, events, i) || isDroppingRule(event));

/** The way back in short: the same, since a reply meets no new decision. */
export const shortReplyView: View = (events) =>
  linesOf(
    events,
    (event, i) =>
      (i === 0 && event.kind === 'tx') ||
      (event.kind !== 'decapsulate' && (isLandmark(event, events, i) || isDroppingRule(event))),
  ).map((line) => withoutMacs(line, events));

/** Everything, with every matched rule as iptables-save prints it, an explanation, and how many were passed over. */
export function rulesView(describe: DescribeRule): View {
  return (events) =>
    events.map((event, i) =>
      event.kind === 'rule'
        ? fullRule(eventLine(event, i), event, describe(event))
        : withConntrackNote(eventLine(event, i), events, i),
    );
}

function fullRule(line: Line, event: RuleEvent, sentence: string | null): Line {
  const passed = event.passedOver === 0 ? '' : `${event.passedOver} passed over before it`;
  const explanation = [sentence ?? '', passed].filter((text) => text !== '').join(' · ');
  return {
    ...line,
    columns: [tableText(event), `#${event.rule}`, event.text],
    note: event.unknown === undefined ? undefined : `not understood by k8snet: ${event.unknown}`,
    below: explanation === '' ? [] : [`↳ ${explanation}`],
  };
}

function linesOf(events: readonly TraceEvent[], shows: (event: TraceEvent, i: number) => boolean): readonly Line[] {
  return events.flatMap((event, i) => {
    if (event.kind === 'nat' && ruleBehind(events, i) !== null && shows(events[i - 1]!, i - 1)) return [];
    return shows(event, i) ? [withConntrackNote(eventLine(event, i, natOf(events, i)), events, i)] : [];
  });
}

/** A rewrite without a rule: what the first packet got, done again; or IPVS did it, which says so itself. */
function withConntrackNote(line: Line, events: readonly TraceEvent[], i: number): Line {
  const event = events[i]!;
  return event.kind === 'nat' && event.ipvs === undefined && ruleBehind(events, i) === null
    ? { ...line, note: 'conntrack remembers; no rule is asked' }
    : line;
}

/** The rewrite that the rule at `i` caused. */
function natOf(events: readonly TraceEvent[], i: number): NatEvent | undefined {
  const next = events[i + 1];
  return next?.kind === 'nat' && ruleBehind(events, i + 1) !== null ? next : undefined;
}

/** The rule that caused the rewrite at `i`; null when conntrack applied what the first packet had got. */
function ruleBehind(events: readonly TraceEvent[], i: number): RuleEvent | null {
  const event = events[i];
  const before = events[i - 1];
  if (event?.kind === 'nat' && event.ipvs !== undefined) return null;
  const caused =
    before?.kind === 'rule' && isAboutAddresses(before) && before.verdict === 'accept' && before.host === event?.host;
  return caused ? before : null;
}

/** The first event behind position `i` that is wanted. */
export function nextEvent(
  events: readonly TraceEvent[],
  i: number,
  wanted: (event: TraceEvent) => boolean,
): TraceEvent | undefined {
  for (let next = i + 1; next < events.length; next++) if (wanted(events[next]!)) return events[next];
  return undefined;
}

/** A packet's arrival is worth a line where nothing else tells it: not on a pod, a bridge port, a tunnel or the switch. */
function tellsArrival(events: readonly TraceEvent[], i: number): boolean {
  const event = events[i]!;
  const next = nextEvent(events, i, (other) => other.kind !== 'conntrack' && other.kind !== 'neighbour');
  if (event.outer === true || event.host === 'underlay' || event.host.startsWith('pod/') || event.host.startsWith('external/'))
    return false;
  if (next?.host !== event.host || next.kind === 'bridge' || next.kind === 'rx') return false;
  return events[i - 1]?.host !== event.host;
}

const LANDMARKS: ReadonlySet<TraceEvent['kind']> = new Set(['socket', 'nat', 'encapsulate', 'decapsulate', 'drop', 'proxy']);

function isLandmark(event: TraceEvent, events: readonly TraceEvent[], i: number): boolean {
  return LANDMARKS.has(event.kind) && !(event.kind === 'drop' && isToldByRule(events, i));
}

/** The drop behind a rule that drops: the rule's line says it. */
function isToldByRule(events: readonly TraceEvent[], i: number): boolean {
  return isDroppingRule(events[i - 1]) && events[i - 1]!.host === events[i]!.host;
}

function isDroppingRule(event: TraceEvent | undefined): boolean {
  return (event?.kind === 'rule' || event?.kind === 'policy') && event.verdict === 'drop';
}
