import { assertNever } from '../../../support/assert-never.ts';
import { keyText, findElement, findInSet } from './lookup.ts';
import { natActionOf } from './nat-action.ts';
import { parseDuration } from './duration.ts';
import { parseVerdict } from './parse-rule.ts';
import { fitsPattern, valueNumber } from './pattern.ts';
import { rejectWith } from './reject-with.ts';
import { markDatum, numberDatum, readSelector } from './selector.ts';
import type { Origin } from '../../../trace/origin.ts';
import type { RejectWith } from '../iptables/target/target.ts';
import type { NftContext } from './context.ts';
import type { NftElement } from './ruleset.ts';
import type { NftDatum } from './selector.ts';
import type { NftExpression, NftLookup, NftMatchRight, NftOperator, NftStatement, NftVerdict } from './syntax.ts';

/** What a rule leads to, once its statements have run. */
export type RuleOutcome =
  /** A test failed: the rule did not match. */
  | { readonly kind: 'break' }
  | { readonly kind: 'verdict'; readonly verdict: NftVerdict; readonly origin?: Origin }
  | { readonly kind: 'reject'; readonly with: RejectWith }
  /** It hangs on something that is not modelled. */
  | { readonly kind: 'unknown' };

const BREAK: RuleOutcome = { kind: 'break' };
const UNKNOWN: RuleOutcome = { kind: 'unknown' };
const CONTINUE: RuleOutcome = { kind: 'verdict', verdict: { kind: 'continue' } };
const ACCEPTED: RuleOutcome = { kind: 'verdict', verdict: { kind: 'accept' } };
const DROPPED: RuleOutcome = { kind: 'verdict', verdict: { kind: 'drop' } };

/** Runs the statements of a rule in order until one fails or gives a verdict (nft_do_chain). `key` names the rule for what it keeps. */
export function runRule(statements: readonly NftStatement[], context: NftContext, key: string): RuleOutcome {
  for (const statement of statements) {
    const outcome = runStatement(statement, context, key);
    if (outcome !== null) return outcome;
  }
  return CONTINUE;
}

/** null: on to the next statement. */
function runStatement(statement: NftStatement, context: NftContext, key: string): RuleOutcome | null {
  switch (statement.kind) {
    case 'match': {
      const left = evaluate(statement.left, context, key);
      return left !== null && matches(left, statement.operator, statement.right, context) ? null : BREAK;
    }
    case 'vmap': {
      const value = evaluate(statement.key, context, key);
      const element = value && lookUp(statement.lookup, value, context);
      const verdict = element?.data ? parseVerdict(element.data) : null;
      if (!element || verdict === null) return BREAK;
      return { kind: 'verdict', verdict, ...(element.origin && { origin: element.origin }) };
    }
    case 'verdict':
      return { kind: 'verdict', verdict: statement.verdict };
    case 'set-mark': {
      const mark = evaluate(statement.value, context, key)?.[0]?.number ?? null;
      if (mark === null) return BREAK;
      if (statement.target === 'meta mark') context.mark = Number(mark);
      else context.setConnectionMark(Number(mark));
      return null;
    }
    case 'change-set':
      return changeSet(statement, context, key);
    case 'dnat':
    case 'snat':
    case 'masquerade':
    case 'redirect': {
      const to = 'to' in statement ? evaluate(statement.to, context, key) : [];
      const action = to && natActionOf(statement, to);
      if (!action) return BREAK;
      return context.nat(action) === 'accept' ? ACCEPTED : DROPPED;
    }
    case 'reject':
      return { kind: 'reject', with: rejectWith(statement.with, context.family) };
    case 'notrack':
      context.notrack();
      return null;
    case 'no-effect':
      return null;
    case 'unknown':
      return UNKNOWN;
    default:
      return assertNever(statement);
  }
}

/** The parts of a value; null where the packet lacks a field or a map has no element. */
function evaluate(expression: NftExpression, context: NftContext, key: string): readonly NftDatum[] | null {
  switch (expression.kind) {
    case 'selector': {
      const datum = readSelector(expression.selector, context);
      return datum && [datum];
    }
    case 'concat': {
      const data: NftDatum[] = [];
      for (const part of expression.parts) {
        const value = evaluate(part, context, key);
        if (value === null) return null;
        data.push(...value);
      }
      return data;
    }
    case 'bitwise': {
      const left = evaluate(expression.left, context, key)?.[0]?.number ?? null;
      return left === null ? null : [markDatum(bitwise(expression.operator, Number(left), expression.right))];
    }
    case 'numgen': {
      const { mode, modulus, offset } = expression;
      const number = mode === 'random' ? context.draw(modulus, `numgen ${key}`) : context.count(`nft numgen ${key}`) % modulus;
      return [numberDatum(offset + number)];
    }
    case 'map': {
      const value = evaluate(expression.key, context, key);
      const data = value && lookUp(expression.lookup, value, context)?.data;
      return data ? data.split(' . ').map(valueDatum) : null;
    }
    case 'value':
      return [valueDatum(expression.text)];
    default:
      return assertNever(expression);
  }
}

function valueDatum(text: string): NftDatum {
  return { text, number: valueNumber(text) };
}

function bitwise(operator: '&' | '|' | '^', left: number, right: number): number {
  if (operator === '&') return (left & right) >>> 0;
  return (operator === '|' ? left | right : left ^ right) >>> 0;
}

function matches(left: readonly NftDatum[], operator: NftOperator, right: NftMatchRight, context: NftContext): boolean {
  if (right.kind === 'lookup') return (lookUp(right.lookup, left, context) !== null) === (operator === '==');
  if (operator === '==' || operator === '!=') {
    const fits = right.texts.some((text) =>
      text.split(' . ').every((part, i) => left[i] !== undefined && fitsPattern(left[i], part)),
    );
    return fits === (operator === '==');
  }
  const [a, b] = [left[0]?.number ?? null, valueNumber(right.texts[0]!)];
  return a !== null && b !== null && compares(a, operator, b);
}

function compares(a: bigint, operator: '<' | '>' | '<=' | '>=', b: bigint): boolean {
  switch (operator) {
    case '<':
      return a < b;
    case '>':
      return a > b;
    case '<=':
      return a <= b;
    case '>=':
      return a >= b;
  }
}

/** An element of the rule's own set, or of a named one, as rules have changed it. */
function lookUp(lookup: NftLookup, key: readonly NftDatum[], context: NftContext): NftElement | null {
  if (lookup.kind === 'anonymous') return findElement(lookup.elements, key);
  const set = context.table.set(lookup.name);
  if (set === undefined) return null;
  if (set.options.some((option) => option.startsWith('flags') && option.includes('dynamic'))) {
    const text = keyText(key);
    const expires = context.addedTo(set.name).get(text);
    if (expires === null || (expires !== undefined && expires > context.now))
      return { key: text, data: null, comment: null, options: [] };
  }
  return findInSet(set, key);
}

/** Puts a key into a dynamic set, or takes it out; `update` starts the time anew, `add` leaves what is there (nft_dynset). */
function changeSet(
  statement: Extract<NftStatement, { kind: 'change-set' }>,
  context: NftContext,
  key: string,
): RuleOutcome | null {
  const value = evaluate(statement.key, context, key);
  const set = context.table.set(statement.set);
  if (value === null || set === undefined) return BREAK;
  const added = context.addedTo(set.name);
  const text = keyText(value);
  if (statement.operation === 'delete') {
    added.delete(text);
    return null;
  }
  const present = added.get(text);
  if (statement.operation === 'add' && (present === null || (present !== undefined && present > context.now))) return null;
  const timeout = statement.timeout ?? timeoutOf(set.options);
  added.set(text, timeout === null ? null : context.now + timeout * 1000);
  return null;
}

/** A set's `timeout 3h`, in seconds. */
function timeoutOf(options: readonly string[]): number | null {
  const option = options.find((text) => text.startsWith('timeout '));
  return option === undefined ? null : parseDuration(option.slice('timeout '.length));
}
