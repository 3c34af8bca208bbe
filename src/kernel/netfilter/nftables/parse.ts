import { parseElements } from './parse-elements.ts';
import { parsePriority } from './priority.ts';
import { nftTable } from './ruleset.ts';
import type { NftBaseChain, NftChain, NftFamily, NftHook, NftObject, NftRule, NftRuleset, NftSet, NftTable } from './ruleset.ts';

export type NftParseResult =
  | { readonly ok: true; readonly ruleset: NftRuleset }
  | { readonly ok: false; readonly line: number; readonly message: string };

/**
 * Reads what `nft list ruleset` prints (with or without handles). Rules are kept as text: one that k8snet can't evaluate is found out
 * when a packet gets to it.
 * @param file name for the rules' sources
 */
export function parseRuleset(text: string, file = 'nft list ruleset'): NftParseResult {
  const lines = new Lines(text, file);
  const tables: NftTable[] = [];
  try {
    for (let line = lines.next(); line !== null; line = lines.next()) {
      const head = /^table (ip6|ip|inet|arp|bridge|netdev) (\S+) \{$/.exec(line);
      if (head === null) throw lines.error(`expected "table FAMILY NAME {", found ${JSON.stringify(line)}`);
      tables.push(parseTable(lines, head[1] as NftFamily, head[2]!));
    }
  } catch (error) {
    if (error instanceof ParseError) return { ok: false, line: error.line, message: error.message };
    throw error;
  }
  return { ok: true, ruleset: tables };
}

class ParseError extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** The lines of a listing without blank ones, comments and handles. */
class Lines {
  readonly file: string;
  readonly #lines: readonly string[];
  #at = 0;

  constructor(text: string, file: string) {
    this.#lines = text.split('\n');
    this.file = file;
  }

  /** Number of the line given last. */
  get number(): number {
    return this.#at;
  }

  next(): string | null {
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at++]!.trim().replace(/\s*# handle \d+$/, '');
      if (line !== '' && !line.startsWith('#')) return line;
    }
    return null;
  }

  error(message: string): ParseError {
    return new ParseError(this.#at, message);
  }
}

function parseTable(lines: Lines, family: NftFamily, name: string): NftTable {
  const options: string[] = [];
  const objects: NftObject[] = [];
  const sets: NftSet[] = [];
  const chains: NftChain[] = [];
  let comment: string | null = null;
  for (const line of bodyLines(lines)) {
    const head = /^(\w[\w ]*?) (\S+) \{$/.exec(line);
    if (head === null) {
      const text = commentOf(line);
      if (text === null) options.push(line);
      else comment = text;
      continue;
    }
    const [keyword, object] = [head[1]!, head[2]!];
    if (keyword === 'set' || keyword === 'map') sets.push(parseSet(lines, keyword, object));
    else if (keyword === 'chain') chains.push(parseChain(lines, family, object));
    else objects.push({ keyword, name: object, lines: [...bodyLines(lines)] });
  }
  return nftTable({ family, name, comment, options, objects }, sets, chains);
}

/** The lines up to the brace that closes a block. */
function* bodyLines(lines: Lines): Generator<string> {
  for (let line = lines.next(); line !== '}'; line = lines.next()) {
    if (line === null) throw lines.error('the text ends inside a block');
    yield line;
  }
}

function parseSet(lines: Lines, kind: 'set' | 'map', name: string): NftSet {
  let type: string | null = null;
  let comment: string | null = null;
  let elements: ReturnType<typeof parseElements> = [];
  const options: string[] = [];
  for (let line of bodyLines(lines)) {
    if (line.startsWith('elements = {')) {
      while (!line.endsWith('}')) {
        const more = lines.next();
        if (more === null) throw lines.error(`the elements of ${name} have no end`);
        line += ` ${more}`;
      }
      elements = parseElements(line.slice('elements = {'.length, -1));
    } else if (/^type(of)? /.test(line)) type = line;
    else if (commentOf(line) !== null) comment = commentOf(line);
    else options.push(line);
  }
  if (type === null) throw lines.error(`${kind} ${name} has no type`);
  return { kind, name, type, options, comment, elements: () => elements };
}

function parseChain(lines: Lines, family: NftFamily, name: string): NftChain {
  let base: NftBaseChain | null = null;
  let comment: string | null = null;
  const rules: NftRule[] = [];
  for (const line of bodyLines(lines)) {
    const text = rules.length === 0 ? commentOf(line) : null;
    if (text !== null) comment = text;
    else if (rules.length === 0 && /^type \w+ hook /.test(line)) base = parseBase(lines, family, line);
    else {
      const source = { file: lines.file, line: lines.number };
      rules.push({ text: wholeRule(lines, line), source });
    }
  }
  return { name, base, comment, rules };
}

/** A rule with all lines of a set that it holds. */
function wholeRule(lines: Lines, line: string): string {
  let text = line;
  while (opensSet(text)) {
    const more = lines.next();
    if (more === null || more === '}') throw lines.error('a set in a rule has no end');
    text += ` ${more}`;
  }
  return text;
}

function opensSet(text: string): boolean {
  const bare = text.replace(/"[^"]*"/g, '');
  return bare.lastIndexOf('{') > bare.lastIndexOf('}');
}

const BASE =
  /^type (filter|nat|route) hook (prerouting|input|forward|output|postrouting|ingress|egress)(?: devices? (?:= )?(.+?))? priority ([^;]+);(?: policy (accept|drop);)?$/;

function parseBase(lines: Lines, family: NftFamily, line: string): NftBaseChain {
  const match = BASE.exec(line);
  const priority = match === null ? null : parsePriority(family, match[4]!);
  if (match === null || priority === null) throw lines.error(`not a base chain: ${JSON.stringify(line)}`);
  const [, type, hook, device, , policy] = match;
  return {
    type: type as NftBaseChain['type'],
    hook: hook as NftHook,
    device: device ?? null,
    priority,
    policy: policy === 'drop' ? 'drop' : 'accept',
  };
}

/** The text of `comment "TEXT"`; null for another line. */
function commentOf(line: string): string | null {
  return /^comment "(.*)"$/.exec(line)?.[1] ?? null;
}
