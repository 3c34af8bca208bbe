import { parseRule } from './parse-rule.ts';
import { runRule } from './evaluate.ts';
import type { NftContext, NftResult } from './context.ts';
import type { RuleOutcome } from './evaluate.ts';
import type { NftChain, NftRule } from './ruleset.ts';
import type { NftStatement } from './syntax.ts';

/** Where the evaluation of a chain stands. */
interface Frame {
  readonly chain: NftChain;
  next: number;
  /** First rule that has not been counted as passed over. */
  counted: number;
}

/** NFT_JUMP_STACK_SIZE: a ruleset with deeper jumps can't be loaded. */
const MAX_JUMPS = 16;
/** No sound ruleset enters as many chains for one packet. */
const MAX_ENTERED = 65_536;

const compiled = new WeakMap<NftRule, readonly NftStatement[]>();

function statementsOf(rule: NftRule): readonly NftStatement[] {
  const known = compiled.get(rule);
  if (known !== undefined) return known;
  const statements = parseRule(rule.text);
  compiled.set(rule, statements);
  return statements;
}

/** Runs a base chain (nft_do_chain): chains with jump and goto, the end of a chain returns, the policy decides at the end. */
export function traverseNft(base: NftChain, context: NftContext): NftResult {
  const stack: Frame[] = [];
  let frame: Frame | undefined = enter(base);
  let entered = 0;
  while (frame) {
    const outcome = runToVerdict(frame, context);
    if (outcome === null || outcome.kind === 'break') {
      const isTold = frame.chain === base && base.base?.policy === 'drop';
      if (outcome === null && !isTold) context.passed?.(frame.chain.rules.length - frame.counted);
      frame = stack.pop();
      continue;
    }
    if (outcome.kind === 'reject') return outcome;
    const { verdict } = outcome;
    switch (verdict.kind) {
      case 'accept':
      case 'drop':
        return { kind: verdict.kind };
      case 'jump':
      case 'goto': {
        const chain = context.table.chain(verdict.chain);
        if (chain === undefined || stack.length >= MAX_JUMPS || entered++ >= MAX_ENTERED) return { kind: 'drop' };
        if (verdict.kind === 'jump') stack.push(frame);
        frame = enter(chain);
        break;
      }
      default:
        frame = stack.pop();
    }
  }
  if (base.base?.policy !== 'drop') return { kind: 'accept' };
  context.recordPolicyDrop(base.name, base.rules.length);
  return { kind: 'drop' };
}

function enter(chain: NftChain): Frame {
  return { chain, next: 0, counted: 0 };
}

/** Looks at rules until one gives a verdict other than to go on; null at the end of the chain. */
function runToVerdict(frame: Frame, context: NftContext): Exclude<RuleOutcome, { kind: 'unknown' }> | null {
  const { chain } = frame;
  while (frame.next < chain.rules.length) {
    const index = frame.next++;
    const rule = chain.rules[index]!;
    const outcome = runRule(
      statementsOf(rule),
      context,
      `${context.table.family} ${context.table.name}/${chain.name}/${index + 1}`,
    );
    if (outcome.kind === 'unknown') context.unknownRule(rule, chain.name, index + 1);
    if (outcome.kind === 'unknown' || outcome.kind === 'break') continue;
    const passedOver = index - frame.counted;
    frame.counted = index + 1;
    const verdict = outcome.kind === 'reject' ? 'drop' : outcome.verdict.kind;
    const target = outcome.kind === 'verdict' && 'chain' in outcome.verdict ? outcome.verdict.chain : null;
    const origin = (outcome.kind === 'verdict' ? outcome.origin : undefined) ?? rule.origin;
    context.record({ chain: chain.name, number: index + 1, rule, verdict, target, passedOver, origin });
    if (verdict !== 'continue') return outcome;
  }
  return null;
}
