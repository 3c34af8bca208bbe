import type { Outcome } from '../../trace/outcome.ts';
import type { TraceEvent } from '../../trace/event.ts';

/** Outcomes that look the same but for names and addresses. */
export interface BranchGroup {
  /** Shown in full: the first of the group. */
  readonly shown: Outcome;
  /** The others, told by name. */
  readonly alike: readonly Outcome[];
}

/** How many first events of the request all outcomes share. */
export function commonPrefix(outcomes: readonly Outcome[]): number {
  const [first, ...others] = outcomes.map((outcome) => outcome.request);
  if (first === undefined || others.length === 0) return 0;
  const differs = (event: TraceEvent, i: number) => others.some((events) => !sameEvent(event, events[i]));
  const end = first.findIndex(differs);
  return end === -1 ? first.length : end;
}

/** Puts outcomes together that differ in names and addresses only, in order of first appearance. */
export function groupBranches(outcomes: readonly Outcome[]): readonly BranchGroup[] {
  const groups = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    const key = shape(outcome);
    const group = groups.get(key);
    if (group) group.push(outcome);
    else groups.set(key, [outcome]);
  }
  return [...groups.values()].map(([shown, ...alike]) => ({ shown: shown!, alike }));
}

/** Verdict, cause and the way: nodes by name, pods and their devices without. */
function shape(outcome: Outcome): string {
  return [outcome.verdict, outcome.cause?.code ?? '', way(outcome.request), '|', way(outcome.reply)].join(' ');
}

const TELLING: ReadonlySet<TraceEvent['kind']> = new Set([
  'socket',
  'nat',
  'bridge',
  'route',
  'encapsulate',
  'decapsulate',
  'drop',
  'proxy',
]);

function way(events: readonly TraceEvent[]): string {
  return events
    .filter((event) => TELLING.has(event.kind))
    .map(
      (event) =>
        `${event.host.startsWith('pod/') ? 'pod' : event.host} ${event.kind}${event.kind === 'bridge' ? ` ${event.action}` : ''}`,
    )
    .join(', ');
}

function sameEvent(a: TraceEvent, b: TraceEvent | undefined): boolean {
  return b !== undefined && JSON.stringify(a) === JSON.stringify(b);
}
