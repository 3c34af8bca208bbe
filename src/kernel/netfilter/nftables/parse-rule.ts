import { parseDuration } from './duration.ts';
import { withKnownValues } from './known-values.ts';
import { parseElements } from './parse-elements.ts';
import { selectorAt } from './selector.ts';
import type { NftExpression, NftLookup, NftMatchRight, NftOperator, NftPortRange, NftStatement, NftVerdict } from './syntax.ts';

/** A rule of which k8snet does not model every part. */
class UnknownSyntax extends Error {}

/**
 * The statements of a rule as nft prints it. Where one is not modelled the list ends with an unknown one: what stands before it may already
 * say that the rule does not match.
 */
export function parseRule(text: string): readonly NftStatement[] {
  const reader = new Reader(text.match(/"[^"]*"|[{},]|[^\s{},"]+/g) ?? []);
  const statements: NftStatement[] = [];
  try {
    while (!reader.atEnd) statements.push(parseStatement(reader));
  } catch (error) {
    if (!(error instanceof UnknownSyntax)) throw error;
    statements.push({ kind: 'unknown' });
  }
  return statements;
}

/** True for a rule of which k8snet does not model every part. */
export function isUnknownNftRule(text: string): boolean {
  return parseRule(text).some(({ kind }) => kind === 'unknown');
}

/** A verdict as a map's data has it: "drop", "goto services"; null for anything else. */
export function parseVerdict(text: string): NftVerdict | null {
  const [word, chain, ...rest] = text.split(' ');
  if (rest.length > 0) return null;
  if ((word === 'jump' || word === 'goto') && chain !== undefined) return { kind: word, chain };
  return isPlainVerdict(word) && chain === undefined ? { kind: word } : null;
}

class Reader {
  readonly words: readonly string[];
  at = 0;

  constructor(words: readonly string[]) {
    this.words = words;
  }
  get atEnd(): boolean {
    return this.at >= this.words.length;
  }
  get word(): string | undefined {
    return this.words[this.at];
  }
  next(): string {
    const word = this.words[this.at++];
    if (word === undefined) throw new UnknownSyntax('the rule ends early');
    return word;
  }
  take(word: string): boolean {
    if (this.word !== word) return false;
    this.at++;
    return true;
  }
  expect(word: string): void {
    if (!this.take(word)) throw new UnknownSyntax(`expected ${word}`);
  }
  number(): number {
    const word = this.next();
    if (!/^(?:\d+|0x[\da-f]+)$/i.test(word)) throw new UnknownSyntax(`${word} is no number`);
    return Number(word);
  }
}

function isPlainVerdict(word: string | undefined): word is 'accept' | 'drop' | 'return' | 'continue' {
  return word === 'accept' || word === 'drop' || word === 'return' || word === 'continue';
}

function parseStatement(reader: Reader): NftStatement {
  const { word } = reader;
  if (isPlainVerdict(word)) {
    reader.next();
    return { kind: 'verdict', verdict: { kind: word } };
  }
  switch (word) {
    case 'jump':
    case 'goto':
      reader.next();
      return { kind: 'verdict', verdict: { kind: word, chain: reader.next() } };
    case 'reject':
      reader.next();
      return { kind: 'reject', with: reader.take('with') ? rejection(reader) : null };
    case 'masquerade':
    case 'redirect':
      reader.next();
      return {
        kind: word,
        ports: reader.take('to') ? portRange(reader.next().replace(/^:/, '')) : null,
        flags: natFlags(reader),
      };
    case 'dnat':
    case 'snat':
      return parseNat(reader, word);
    case 'add':
    case 'update':
    case 'delete':
      return parseSetChange(reader, word);
    case 'notrack':
      reader.next();
      return { kind: 'notrack' };
    case 'counter':
    case 'log':
    case 'comment':
    case 'xt':
      skipWithoutEffect(reader);
      return { kind: 'no-effect' };
    default:
      return parseTest(reader);
  }
}

/** "tcp reset", "icmp port-unreachable"; nft before 0.9.9 says "icmp type port-unreachable". */
function rejection(reader: Reader): string {
  const kind = reader.next();
  reader.take('type');
  return `${kind} ${reader.next()}`;
}

const LOG_OPTIONS: ReadonlySet<string> = new Set(['prefix', 'level', 'group', 'snaplen', 'queue-threshold', 'flags']);

function skipWithoutEffect(reader: Reader): void {
  const word = reader.next();
  if (word === 'comment') reader.next();
  // What iptables-nft has written in its own way; of that only a comment is sure to decide nothing.
  else if (word === 'xt') {
    reader.expect('match');
    reader.expect('"comment"');
  } else if (word === 'counter') {
    if (reader.take('name')) reader.next();
    else if (reader.take('packets')) for (let i = 0; i < 3; i++) reader.next();
  } else {
    while (reader.word !== undefined && LOG_OPTIONS.has(reader.word)) {
      const isTcp = reader.next() === 'flags' && reader.take('tcp');
      reader.next();
      if (isTcp && reader.take(',')) reader.next();
    }
  }
}

function parseNat(reader: Reader, kind: 'dnat' | 'snat'): NftStatement {
  reader.next();
  if (reader.word === 'ip' || reader.word === 'ip6') reader.next();
  if (reader.take('addr')) {
    reader.expect('.');
    reader.expect('port');
  }
  reader.expect('to');
  const to = parseExpression(reader);
  return { kind, to, flags: natFlags(reader) };
}

const NAT_FLAGS: ReadonlySet<string> = new Set(['random', 'fully-random', 'persistent']);

function natFlags(reader: Reader): readonly string[] {
  const flags: string[] = [];
  while (reader.word !== undefined && NAT_FLAGS.has(reader.word)) {
    flags.push(reader.next());
    if (!reader.take(',')) break;
  }
  return flags;
}

function portRange(text: string): NftPortRange {
  const match = /^(\d+)(?:-(\d+))?$/.exec(text);
  if (match === null) throw new UnknownSyntax(`${text} is no port`);
  return { min: Number(match[1]), max: Number(match[2] ?? match[1]) };
}

function parseSetChange(reader: Reader, operation: 'add' | 'update' | 'delete'): NftStatement {
  reader.next();
  const set = reader.next();
  if (!set.startsWith('@')) throw new UnknownSyntax('expected a set');
  reader.expect('{');
  const key = parseExpression(reader);
  const timeout = reader.take('timeout') ? parseDuration(reader.next()) : null;
  reader.expect('}');
  return { kind: 'change-set', operation, set: set.slice(1), key, timeout };
}

function parseTest(reader: Reader): NftStatement {
  const left = parseExpression(reader);
  if (left.kind === 'selector' && reader.take('set')) {
    const { selector } = left;
    if (selector !== 'meta mark' && selector !== 'ct mark') throw new UnknownSyntax(`${selector} can't be set`);
    return { kind: 'set-mark', target: selector, value: parseExpression(reader) };
  }
  if (reader.take('vmap')) return { kind: 'vmap', key: left, lookup: parseLookup(reader) };
  const operator = isOperator(reader.word) ? (reader.next() as NftOperator) : '==';
  const right = parseRight(reader);
  if (left.kind !== 'selector') return { kind: 'match', left, operator, right };
  const known = withKnownValues(left.selector, right);
  if (known === null) throw new UnknownSyntax('a value is not known');
  return { kind: 'match', left, operator, right: known };
}

const OPERATORS: ReadonlySet<string> = new Set(['==', '!=', '<', '>', '<=', '>=']);

function isOperator(word: string | undefined): word is NftOperator {
  return word !== undefined && OPERATORS.has(word);
}

function parseRight(reader: Reader): NftMatchRight {
  if (reader.word === '{' || reader.word?.startsWith('@')) return { kind: 'lookup', lookup: parseLookup(reader) };
  const texts = [parseValue(reader)];
  while (reader.take(',')) texts.push(reader.next());
  return { kind: 'patterns', texts };
}

/** "10.0.0.1", or "10.0.0.1 . 80". */
function parseValue(reader: Reader): string {
  let text = reader.next();
  while (reader.take('.')) text += ` . ${reader.next()}`;
  return text;
}

function parseLookup(reader: Reader): NftLookup {
  const word = reader.next();
  if (word.startsWith('@')) return { kind: 'named', name: word.slice(1) };
  if (word !== '{') throw new UnknownSyntax('expected a set');
  const end = reader.words.indexOf('}', reader.at);
  if (end < 0) throw new UnknownSyntax('a set has no end');
  const elements = parseElements(reader.words.slice(reader.at, end).join(' '));
  reader.at = end + 1;
  return { kind: 'anonymous', elements };
}

function parseExpression(reader: Reader): NftExpression {
  const parts = [parseOperand(reader)];
  while (reader.take('.')) parts.push(parseOperand(reader));
  let expression: NftExpression = parts.length === 1 ? parts[0]! : { kind: 'concat', parts };
  for (let operator = bitOperator(reader.word); operator !== undefined; operator = bitOperator(reader.word)) {
    reader.next();
    expression = { kind: 'bitwise', operator, left: expression, right: reader.number() };
  }
  return reader.take('map') ? { kind: 'map', key: expression, lookup: parseLookup(reader) } : expression;
}

/** nft before 0.9.9 prints words. */
const BIT_OPERATORS: ReadonlyMap<string, '&' | '|' | '^'> = new Map([
  ['&', '&'],
  ['and', '&'],
  ['|', '|'],
  ['or', '|'],
  ['^', '^'],
  ['xor', '^'],
]);

function bitOperator(word: string | undefined): '&' | '|' | '^' | undefined {
  return word === undefined ? undefined : BIT_OPERATORS.get(word);
}

function parseOperand(reader: Reader): NftExpression {
  if (reader.take('numgen')) return parseNumgen(reader);
  const found = selectorAt(reader.words, reader.at);
  if (found !== null) {
    reader.at += found.length;
    return { kind: 'selector', selector: found.selector };
  }
  // A word that is no value begins a statement or selector that is not modelled.
  const word = reader.next();
  if (!/^[\d[]|^[\da-f]*:/i.test(word)) throw new UnknownSyntax(`${word} is not modelled`);
  return { kind: 'value', text: word };
}

function parseNumgen(reader: Reader): NftExpression {
  const mode = reader.next();
  if (mode !== 'random' && mode !== 'inc') throw new UnknownSyntax(`numgen ${mode}`);
  reader.expect('mod');
  const modulus = reader.number();
  return { kind: 'numgen', mode, modulus, offset: reader.take('offset') ? reader.number() : 0 };
}
