import { describe, expect, test } from 'vitest';
import { MATCH_MODULES } from '../../src/kernel/netfilter/iptables/match/index.ts';
import { TARGET_MODULES } from '../../src/kernel/netfilter/iptables/target/index.ts';
import { CAUSE_CODES, VERDICTS } from '../../src/trace/outcome.ts';
import { allOutcomes, checksOf, eventsOf, FILES, scenarioOf } from './gallery.ts';
import type { TraceEvent } from '../../src/trace/event.ts';

/** What no scenario shows, and why. An entry that a scenario does show fails the suite: then it has to go. */
type Exceptions = Readonly<Record<string, string>>;

const CAUSES_NOT_SHOWN: Exceptions = {
  'network-policy': 'network policies are not modelled yet',
};

const VERDICTS_NOT_SHOWN: Exceptions = {};

const MATCHES_NOT_SHOWN: Exceptions = {};

const TARGETS_NOT_SHOWN: Exceptions = {
  ULOG: 'gone from the kernel since 3.17: no node has such a rule',
};

/** Every kind of event. The compiler sees to it that none is forgotten. */
const EVENT_KINDS: Readonly<Record<TraceEvent['kind'], true | string>> = {
  socket: true,
  tx: true,
  rx: true,
  bridge: true,
  rule: true,
  policy: true,
  nat: true,
  conntrack: true,
  route: true,
  neighbour: true,
  encapsulate: true,
  decapsulate: true,
  drop: true,
  proxy: true,
};

const outcomes = allOutcomes();
const events = outcomes.flatMap(eventsOf);
const rules = events.flatMap((event) => (event.kind === 'rule' ? [event] : []));
const expectations = FILES.flatMap((name) => checksOf(scenarioOf(name)).map((check) => check.expect));

function expectComplete(all: Iterable<string>, shown: ReadonlySet<string>, exceptions: Exceptions): void {
  const names = [...all];
  expect(names.filter((name) => !shown.has(name))).toEqual(names.filter((name) => name in exceptions));
  for (const name of Object.keys(exceptions)) expect(names).toContain(name);
}

describe('the gallery shows', () => {
  test('every cause', () => {
    expectComplete(CAUSE_CODES, new Set(expectations.flatMap(({ cause }) => cause ?? [])), CAUSES_NOT_SHOWN);
  });

  test('every verdict', () => {
    expectComplete(VERDICTS, new Set(expectations.flatMap(({ verdict }) => verdict ?? [])), VERDICTS_NOT_SHOWN);
  });

  test('every match, in a rule that matched', () => {
    const shown = new Set(rules.flatMap(({ text }) => [...text.matchAll(/ -m (\S+)/g)].map(([, name]) => name!)));
    expectComplete(MATCH_MODULES.keys(), shown, MATCHES_NOT_SHOWN);
  });

  test('every target, in a rule that matched', () => {
    const shown = new Set(rules.flatMap(({ text }) => / -[jg] (\S+)/.exec(text)?.[1] ?? []));
    expectComplete(TARGET_MODULES.keys(), shown, TARGETS_NOT_SHOWN);
  });

  test('every kind of event', () => {
    const kinds = Object.entries(EVENT_KINDS);
    const shown = new Set<string>(events.map(({ kind }) => kind));
    const exceptions = Object.fromEntries(kinds.flatMap(([kind, why]) => (why === true ? [] : [[kind, why]])));
    expectComplete(
      kinds.map(([kind]) => kind),
      shown,
      exceptions,
    );
  });
});
