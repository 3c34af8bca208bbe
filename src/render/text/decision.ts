import { commonPrefix } from './branches.ts';
import { ipvsText, rewrite, tableText } from './event-line.ts';
import { LABEL_WIDTH, field } from './field.ts';
import { shortName } from './names.ts';
import type { NatEvent, RuleEvent, TraceEvent } from '../../trace/event.ts';
import type { Outcome } from '../../trace/outcome.ts';
import type { Style } from '../style.ts';

/** The rule or route that decided, for a drop event: what stands just before it, unless that let the packet pass. */
export function deciding(events: readonly TraceEvent[], at: number): TraceEvent | undefined {
  const event = events[at];
  if (event === undefined || event.kind !== 'drop') return event;
  const before = events[at - 1];
  return before !== undefined &&
    before.host === event.host &&
    (before.kind === 'route' || ((before.kind === 'rule' || before.kind === 'policy') && before.verdict === 'drop'))
    ? before
    : event;
}

/** For an answer without a cause: what sent the packet where it went; of several ways the last rule they share. */
export function decidedFields(outcomes: readonly Outcome[], style: Style): readonly string[] {
  const events = outcomes[0]!.request;
  if (outcomes.length > 1) {
    const common = commonPrefix(outcomes);
    const parting = events[common];
    if (parting?.kind === 'nat' && parting.ipvs) return decisionFields({ ...parting, after: {} }, style);
    const shared = events.slice(0, common).findLast((event) => event.kind === 'rule');
    // A process chose, and what led to it is what decided.
    if (shared && parting?.kind !== 'proxy') return decisionFields(shared, style);
  }
  const nat = events.findLastIndex((event) => event.kind === 'nat' && event.type === 'dnat');
  const balanced = events[nat];
  if (balanced?.kind === 'nat' && balanced.ipvs) return decisionFields(balanced, style);
  const rule = nat > 0 ? events[nat - 1] : undefined;
  if (rule?.kind === 'rule') return decisionFields(rule, style, events[nat] as NatEvent);
  const route = events.findLast(
    (event) => event.kind === 'route' && event.entry !== null && event.outer !== true && event.table !== 'local',
  );
  return route ? decisionFields(route, style) : [];
}

/** An event that decided, and who is behind it; `nat` is what a rule of nat did. */
export function decisionFields(event: TraceEvent, style: Style, nat?: NatEvent): readonly string[] {
  const owner = event.origin;
  const behind = owner ? ownerText(owner) : '';
  return [...decision(event, style, nat), ...(behind === '' ? [] : field('because of', behind, style))];
}

/** "Service shop/web, by kube-proxy", "kube-proxy", "an operator's command". */
function ownerText({ object, by }: NonNullable<TraceEvent['origin']>): string {
  if (object) return by ? `${object}, by ${by}` : object;
  return by === 'operator' ? "an operator's command" : (by ?? '');
}

function decision(event: TraceEvent, style: Style, nat: NatEvent | undefined): readonly string[] {
  switch (event.kind) {
    case 'rule':
      return field(
        'rule',
        `${shortName(event.host)}, ${tableText(event)} ${event.chain} #${event.rule}${nat ? `: ${rewrite(nat)}` : ''}`,
        style,
      ).concat(ruleText(event, style));
    case 'policy':
      return field(
        'policy',
        `${shortName(event.host)}, ${tableText(event)} ${event.chain}: ${event.verdict.toUpperCase()}`,
        style,
      );
    case 'nat': {
      if (!event.ipvs) return [];
      const [place, to] = [`${shortName(event.host)}, ${event.hook}`, event.after.dst];
      return field('ipvs', `${place}: ${ipvsText(event.ipvs)}${to === undefined ? '' : `: ${rewrite(event)}`}`, style);
    }
    case 'route':
      return event.entry === null ? [] : field('route', `${shortName(event.host)}: ${event.entry}`, style);
    default:
      return [];
  }
}

/** Never wrapped: people search for it. */
function ruleText(event: RuleEvent, style: Style): readonly string[] {
  return [`  ${' '.repeat(LABEL_WIDTH)}${style.chalk.dim(event.text)}`];
}
