import { ruleParts } from './rule-text.ts';
import type { RuleEvent, TraceEvent } from '../../trace/event.ts';

/**
 * For each matched rule that decided or changed something, the jumps that led to it, as positions in `events`. A jump that came back
 * with nothing is on no path: that is what the default view leaves out.
 */
export function decisivePositions(events: readonly TraceEvent[]): ReadonlySet<number> {
  const kept = new Set<number>();
  let stack: number[] = [];
  let previous: RuleEvent | null = null;
  events.forEach((event, i) => {
    if (event.kind !== 'rule') {
      if (event.kind === 'policy' && event.verdict === 'drop') kept.add(i);
      return;
    }
    if (previous === null || !sameTraversal(previous, event)) stack = [];
    // Back in an outer chain: the calls above it came to nothing.
    while (stack.length > 0 && targetOf(events[stack[stack.length - 1]!]) !== event.chain) stack.pop();
    previous = event;
    if (event.verdict === 'jump' || event.verdict === 'goto') {
      stack.push(i);
      if (event.unknown !== undefined) kept.add(i);
    } else if (decides(event)) {
      kept.add(i);
      // How a packet got to a rule matters where addresses are rewritten and where it dies; an ACCEPT is an ACCEPT.
      // The jump out of the base chain, "PREROUTING #1 → KUBE-SERVICES", stands on every node and says nothing.
      if (isAboutAddresses(event) || event.verdict === 'drop') for (const jump of stack.slice(1)) kept.add(jump);
    }
  });
  return kept;
}

/** One pass of one packet through one table of one hook. */
function sameTraversal(a: RuleEvent, b: RuleEvent): boolean {
  return a.host === b.host && a.hook === b.hook && a.table === b.table && a.outer === b.outer;
}

function targetOf(event: TraceEvent | undefined): string | null {
  return event?.kind === 'rule' ? ruleParts(event).target : null;
}

const NAT_STATEMENTS: ReadonlySet<string | null> = new Set(['dnat', 'snat', 'masquerade', 'redirect']);

/** In iptables all of table nat is about rewriting addresses; a table of nftables is about anything, so the rule itself must tell. */
export function isAboutAddresses(event: RuleEvent): boolean {
  return event.family === undefined ? event.table === 'nat' : NAT_STATEMENTS.has(ruleParts(event).target);
}

/** Rules that end a table's traversal, change the packet, or could not be evaluated; a bare RETURN or a rule without target does nothing. */
function decides(event: RuleEvent): boolean {
  if (event.unknown !== undefined) return true;
  if (event.verdict === 'continue') return ruleParts(event).target !== null;
  return event.verdict === 'accept' || event.verdict === 'drop';
}
