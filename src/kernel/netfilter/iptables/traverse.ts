import { assertNever } from '../../../support/assert-never.ts';
import { readyChain } from './ready-table.ts';
import type { Packet } from '../../../net/packet.ts';
import type { RuleVerdict } from '../../../trace/event.ts';
import type { TraverseContext, TraverseVerdict } from './context.ts';
import type { ReadyChain, ReadyRule } from './ready-table.ts';
import type { Chain, Table } from './table.ts';
import type { TargetAction } from './target/target.ts';

/** Where an evaluation of a chain stands. */
interface Frame {
  readonly ready: ReadyChain;
  /** Candidates of an index; null: every rule is looked at. */
  readonly candidates: readonly number[] | null;
  /** Next place in `candidates`, or next rule. */
  next: number;
  /** First rule that has not been counted as passed over. */
  counted: number;
  /** Rules that matched. */
  matched: number;
}

/** What a matched rule leads to; null: the next rule. */
type Step =
  | { readonly kind: 'end'; readonly verdict: TraverseVerdict }
  | { readonly kind: 'return' }
  | { readonly kind: 'enter'; readonly chain: ReadyChain; readonly back: boolean }
  | null;

/** The kernel's NFT_JUMP_STACK_SIZE: deeper jumps are refused when rules are loaded. */
export const MAX_JUMPS = 16;
/** No sound rule set enters as many chains for one packet; one with a loop of gotos would without end. */
const MAX_ENTERED = 16_384;

const ACCEPT: TraverseVerdict = { kind: 'accept' };
const DROP: TraverseVerdict = { kind: 'drop' };
const END_ACCEPT: Step = { kind: 'end', verdict: ACCEPT };
const END_DROP: Step = { kind: 'end', verdict: DROP };
const RETURN: Step = { kind: 'return' };

/**
 * Runs the base chain of `context.hook` in a table (net/netfilter/x_tables ipt_do_table): user chains with jump and goto, the end of
 * a chain returns, the base chain's policy decides at the end. Emits every matched rule before what it leads to. A rule set whose
 * jumps are deeper than the kernel allows can't be loaded (see validateTables): a jump too deep is an unknown rule here.
 */
export function traverse(table: Table, context: TraverseContext): TraverseVerdict {
  const base = readyChain(table, context.hook);
  if (!base) return ACCEPT;
  const stack: Frame[] = [];
  let entered = 0;
  let frame: Frame | undefined = enter(base, context);
  let bottom: Frame | null = frame;
  while (frame) {
    const mayEnter: boolean = stack.length < MAX_JUMPS && entered++ < MAX_ENTERED;
    const { next, matched } = frame;
    const step: Step = runToStep(table, frame, mayEnter, context);
    if (context.looked?.(frame.next - next, frame.matched - matched) === false) return ACCEPT;
    if (step === null && frame !== bottom) context.passed?.(frame.ready.chain.length - frame.counted);
    if (step === null || step.kind === 'return') frame = frame === bottom ? undefined : stack.pop();
    else if (step.kind === 'end') return step.verdict;
    else {
      if (step.back) stack.push(frame);
      else if (frame === bottom) bottom = null;
      frame = enter(step.chain, context);
    }
  }
  return policy(base.chain, bottom, context);
}

function enter(ready: ReadyChain, context: TraverseContext): Frame {
  return { ready, candidates: ready.chain.candidates?.(context.packet) ?? null, next: 0, counted: 0, matched: 0 };
}

/** Looks at the rules of a chain from where it stands until one leads elsewhere; null at the end of the chain. */
function runToStep(table: Table, frame: Frame, mayEnter: boolean, context: TraverseContext): Step {
  const { ready, candidates } = frame;
  const { chain } = ready;
  const end = candidates?.length ?? chain.length;
  while (frame.next < end) {
    let index = candidates ? candidates[frame.next]! : frame.next;
    const chances = context.pick ? chancesAt(frame, index) : null;
    if (chances) {
      const first = index;
      const leadsTo = (alternative: number) => ready.leadsTo(first + alternative);
      const picked = context.pick!(chances, `statistic ${keyOf(table, chain, index)}`, leadsTo);
      const rules = chances.length - 1;
      frame.next += Math.min(picked + 1, rules);
      if (picked === rules) continue;
      index += picked;
    } else frame.next++;
    const one = ready.rule(index);
    const matched = chances !== null || one.matches.length === 0 || matches(table, chain, index, one, context);
    if (matched === false) continue;
    if (matched === 'unknown' || !isDoable(one, mayEnter)) {
      if (!isHarmless(one.action)) context.unknownRule?.(one.rule, chain.name, index + 1);
      continue;
    }
    const passedOver = index - frame.counted;
    frame.counted = index + 1;
    frame.matched++;
    context.record?.({
      kind: 'rule',
      chain: chain.name,
      number: index + 1,
      rule: one.rule,
      verdict: verdictOf(one.action),
      passedOver,
    });
    const step = act(one, context);
    if (step) return step;
  }
  return null;
}

/** The run of rules of chance that begins here; null also where candidates leave out some of it. */
function chancesAt({ ready, candidates, next }: Frame, index: number): readonly number[] | null {
  const chances = ready.chances(index);
  if (!chances || !candidates) return chances;
  const more = chances.length - 2;
  return candidates[next + more] === index + more ? chances : null;
}

function keyOf(table: Table, chain: Chain, index: number): string {
  return `${table.name}/${chain.name}/${index + 1}`;
}

/** All matches in order. Behind an unknown one the others may still say no, but draw nothing and count nothing. */
function matches(table: Table, chain: Chain, index: number, one: ReadyRule, context: TraverseContext): boolean | 'unknown' {
  let result: boolean | 'unknown' = true;
  if (one.isStateful) context.ruleKey = keyOf(table, chain, index);
  for (const match of one.matches) {
    if (match.stateful && result === 'unknown') continue;
    const holds = match.test(context);
    if (holds === false) return false;
    if (holds === 'unknown') result = 'unknown';
  }
  return result;
}

/** Targets that only tell somebody, or count: they change nothing about the packet whatever their options. */
const TELLING: readonly string[] = ['LOG', 'NFLOG', 'ULOG', 'AUDIT', 'TRACE', 'LED', 'IDLETIMER', 'RATEEST'];

/** True where it does not matter for the packet whether a rule matches. */
function isHarmless(action: TargetAction): boolean {
  if (action.kind === 'unknown') return TELLING.includes(action.name);
  return action.kind === 'none' || action.kind === 'log' || action.kind === 'no-effect';
}

/** False for a target that is not modelled and for a jump to nowhere or too deep. */
function isDoable(one: ReadyRule, mayEnter: boolean): boolean {
  const { action } = one;
  if (action.kind === 'jump' || action.kind === 'goto') return mayEnter && one.target !== null;
  return action.kind !== 'unknown';
}

function verdictOf({ kind }: TargetAction): RuleVerdict {
  switch (kind) {
    case 'jump':
    case 'goto':
    case 'return':
      return kind;
    case 'accept':
    case 'dnat':
    case 'snat':
    case 'masquerade':
    case 'redirect':
    case 'netmap':
      return 'accept';
    case 'drop':
    case 'reject':
      return 'drop';
    default:
      return 'continue';
  }
}

function act(one: ReadyRule, context: TraverseContext): Step {
  const { action } = one;
  switch (action.kind) {
    case 'accept':
      return END_ACCEPT;
    case 'drop':
      return END_DROP;
    case 'reject':
      return { kind: 'end', verdict: { kind: 'reject', with: action.with } };
    case 'dnat':
    case 'snat':
    case 'masquerade':
    case 'redirect':
    case 'netmap':
      return context.nat(action) === 'accept' ? END_ACCEPT : END_DROP;
    case 'return':
      return RETURN;
    case 'jump':
    case 'goto':
      return { kind: 'enter', chain: one.target!, back: action.kind === 'jump' };
    case 'mark':
      context.mark = toggled(context.mark, action.mask, action.value);
      return null;
    case 'connmark-set':
    case 'connmark-save':
    case 'connmark-restore':
      copyMark(action, context);
      return null;
    case 'ttl':
      context.packet = { ...context.packet, ttl: newTtl(context.packet.ttl, action) };
      return null;
    case 'tos':
      context.packet = { ...context.packet, tos: toggled(context.packet.tos, action.mask, action.value) };
      return null;
    case 'tcpmss':
      context.packet = withMss(context.packet, action.value ?? context.pathMss());
      return null;
    case 'notrack':
      context.notrack();
      return null;
    case 'set-add':
    case 'set-del':
      context.changeSet(action);
      return null;
    case 'none':
    case 'log':
    case 'no-effect':
    case 'unknown':
      return null;
    default:
      return assertNever(action);
  }
}

/** (old & ~mask) ^ value */
function toggled(old: number, mask: number, value: number): number {
  return ((old & ~mask) ^ value) >>> 0;
}

/** connmark_tg_shift; nothing happens without a conntrack entry. */
function copyMark(
  action: Extract<TargetAction, { kind: 'connmark-set' | 'connmark-save' | 'connmark-restore' }>,
  context: TraverseContext,
): void {
  const { conntrack } = context;
  if (!('mark' in conntrack)) return;
  if (action.kind === 'connmark-set') context.setConnectionMark(toggled(conntrack.mark, action.mask, action.value));
  else if (action.kind === 'connmark-save')
    context.setConnectionMark(toggled(conntrack.mark, action.ctmask, context.mark & action.nfmask));
  else context.mark = toggled(context.mark, action.nfmask, conntrack.mark & action.ctmask);
}

/** ttl_tg: stays within a byte. */
function newTtl(ttl: number, { op, value }: Extract<TargetAction, { kind: 'ttl' }>): number {
  if (op === 'set') return value;
  return op === 'inc' ? Math.min(255, ttl + value) : Math.max(0, ttl - value);
}

/** After a goto out of the base chain none of its rules is looked at any more. */
function policy(base: Chain, frame: Frame | null, context: TraverseContext): TraverseVerdict {
  const drops = base.policy === 'DROP';
  context.record?.({
    kind: 'policy',
    chain: base.name,
    verdict: drops ? 'drop' : 'accept',
    passedOver: frame ? base.length - frame.counted : 0,
  });
  return drops ? DROP : ACCEPT;
}

/** tcpmss_mangle_packet: the MSS of a SYN is never raised. */
function withMss(packet: Packet, mss: number): Packet {
  const { l4 } = packet;
  return l4.protocol === 'tcp' && l4.mss !== undefined && mss < l4.mss ? { ...packet, l4: { ...l4, mss } } : packet;
}
