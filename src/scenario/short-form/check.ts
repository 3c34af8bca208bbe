import type { Check, CheckExpectation, Probe } from '../../kubernetes/model/check.ts';
import { CAUSE_CODES, VERDICTS } from '../../trace/outcome.ts';
import { readIp } from '../reading/addresses.ts';
import { MAX_PORT } from '../reading/common.ts';
import { PROXY_MODES } from '../reading/kube-proxy.ts';
import type { Reader } from '../reading/reader.ts';
import type { Mapping } from '../source/container.ts';
import { isList, valueAt } from '../source/container.ts';

const PROBE_KEYS: readonly string[] = [
  'from',
  'to',
  'protocol',
  'sourcePort',
  'sourceAddress',
  'payload',
  'dontFragment',
  'ttl',
  'backend',
  'via',
];
const CHECK_KEYS: readonly string[] = ['name', ...PROBE_KEYS, 'continues', 'before', 'coldNeighbours', 'proxyMode', 'expect'];
/** What a check that continues another one takes from it. */
const TAKEN_KEYS: readonly string[] = ['from', 'to', 'protocol', 'sourcePort', 'sourceAddress', 'backend', 'via', 'before'];
const EXPECT_KEYS: readonly string[] = ['verdict', 'server', 'source', 'servers', 'cause', 'status', 'through', 'notThrough'];
/** What fits into an IPv4 datagram beside its headers. */
const MAX_PAYLOAD = 65507;
/** Each connection is walked over a copy of what the ones before it left behind. */
const MAX_BEFORE = 256;

/** An entry of `checks`. Without a name it is called "FROM to TO", one that continues another "NAME, continued". */
export function readCheck(reader: Reader, item: Mapping): Check | undefined {
  reader.allowOnly(item, 'a check', CHECK_KEYS);
  const continues = reader.text(item, 'continues');
  const probe = continues === undefined ? readProbe(reader, item, 'A check') : readContinuation(reader, item);
  const before = reader.mappings(item, 'before', (connection) => {
    reader.allowOnly(connection, 'a connection of "before"', PROBE_KEYS);
    return readProbe(reader, connection, 'A connection of "before"');
  });
  if ((before?.length ?? 0) > MAX_BEFORE) reader.wrong(item, 'before', `a list of at most ${MAX_BEFORE} connections`);
  const expectation = reader.mapping(item, 'expect');
  const expect = expectation === undefined ? {} : readExpectation(reader, expectation);
  const name = reader.text(item, 'name');
  const coldNeighbours = reader.boolean(item, 'coldNeighbours') ?? false;
  const proxyMode = reader.oneOf(item, 'proxyMode', PROXY_MODES);
  if (probe === undefined) return undefined;
  return {
    ...probe,
    name: name ?? (continues === undefined ? `${probe.from} to ${probe.to}` : `${continues}, continued`),
    ...(continues !== undefined && { continues }),
    before: before ?? [],
    coldNeighbours,
    ...(proxyMode !== undefined && { proxyMode }),
    expect,
    position: reader.position(item),
  };
}

/** Says what the packet looks like; where it goes is known when the check that it continues is found. */
function readContinuation(reader: Reader, item: Mapping): Probe {
  for (const key of TAKEN_KEYS) {
    if (valueAt(item, key) === undefined) continue;
    const message = `A check that "continues" another one takes "${key}" from it`;
    reader.problems.error('wrong-key', message, reader.source.keyPosition(item, key));
  }
  return {
    from: '',
    to: '',
    ...readPacket(reader, item),
    protocol: null,
    sourcePort: null,
    sourceAddress: null,
    backend: null,
    via: null,
  };
}

/** What a packet looks like. */
function readPacket(reader: Reader, item: Mapping): Pick<Probe, 'payload' | 'dontFragment' | 'ttl'> {
  return {
    payload: reader.integer(item, 'payload', 0, MAX_PAYLOAD) ?? null,
    dontFragment: reader.boolean(item, 'dontFragment') ?? null,
    ttl: reader.integer(item, 'ttl', 1, 255) ?? null,
  };
}

function readProbe(reader: Reader, item: Mapping, what: string): Probe | undefined {
  for (const key of ['from', 'to']) {
    if (valueAt(item, key) === undefined) reader.problems.error('missing-key', `${what} needs "${key}"`, reader.position(item));
  }
  const from = reader.string(item, 'from');
  const to = reader.string(item, 'to');
  const probe = {
    protocol: readProtocol(reader, item) ?? null,
    sourcePort: reader.integer(item, 'sourcePort', 1, MAX_PORT) ?? null,
    sourceAddress: readIp(reader, item, 'sourceAddress') === undefined ? null : (reader.string(item, 'sourceAddress') ?? null),
    ...readPacket(reader, item),
    backend: reader.string(item, 'backend') ?? null,
    via: reader.oneOf(item, 'via', ['kubectl-proxy', 'port-forward', 'exec'] as const) ?? null,
  };
  return from === undefined || to === undefined ? undefined : { from, to, ...probe };
}

function readProtocol(reader: Reader, item: Mapping): Exclude<Probe['protocol'], null> | undefined {
  const value = valueAt(item, 'protocol');
  const words = ['tcp', 'udp', 'sctp', 'icmp'] as const;
  const lower = typeof value === 'string' ? value.toLowerCase() : value;
  return words.find((word) => word === lower) ?? reader.oneOf(item, 'protocol', words);
}

function readExpectation(reader: Reader, item: Mapping): CheckExpectation {
  reader.allowOnly(item, '"expect"', EXPECT_KEYS);
  return withoutUndefined({
    verdict: reader.oneOf(item, 'verdict', VERDICTS),
    // null is an expectation here: that nobody answers.
    server: item.server === null ? null : reader.string(item, 'server'),
    source: readIp(reader, item, 'source') === undefined ? undefined : reader.string(item, 'source'),
    servers: reader.texts(item, 'servers'),
    cause: reader.oneOf(item, 'cause', CAUSE_CODES),
    status: reader.integer(item, 'status', 100, 599),
    through: readTexts(reader, item, 'through'),
    notThrough: readTexts(reader, item, 'notThrough'),
  });
}

/** One text or a list of them. */
function readTexts(reader: Reader, item: Mapping, key: string): readonly string[] | undefined {
  const value = valueAt(item, key);
  return value === undefined || isList(value) ? reader.texts(item, key) : asList(reader.string(item, key));
}

function asList(text: string | undefined): readonly string[] | undefined {
  return text === undefined ? undefined : [text];
}

/** Optional fields are left out rather than undefined. */
function withoutUndefined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const out: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const key of Object.keys(value) as (keyof T)[]) {
    const field = value[key];
    if (isGiven(field)) out[key] = field;
  }
  return out;
}

function isGiven<T>(value: T): value is Exclude<T, undefined> {
  return value !== undefined;
}
