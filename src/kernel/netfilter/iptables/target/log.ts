import { RuleError, wordOf } from '../option.ts';
import { join, numberOf, parseNumber } from '../value.ts';
import { quoteValue } from '../words.ts';
import type { GivenOptions } from '../option.ts';
import type { TargetModule } from './module.ts';

/** syslog levels; "warning" is the default and is not printed. */
const LEVELS: readonly (readonly string[])[] = [
  ['emerg', 'panic'],
  ['alert'],
  ['crit'],
  ['error', 'err'],
  ['warning', 'warn'],
  ['notice'],
  ['info'],
  ['debug'],
];
const DEFAULT_LEVEL = 4;
const FLAGS = ['log-tcp-sequence', 'log-tcp-options', 'log-ip-options', 'log-uid', 'log-macdecode'] as const;

/** Writes to the kernel log and goes on (xt_LOG.c). */
const log: TargetModule = {
  name: 'LOG',
  options: [{ name: 'log-level' }, { name: 'log-prefix' }, ...FLAGS.map((name) => ({ name, args: 0 }) as const)],
  build(given) {
    // libxt_LOG keeps what fits.
    const prefix = prefixOf(given, 'log-prefix').slice(0, 29);
    const level = given.has('log-level') ? levelOf(wordOf(given, 'log-level')) : DEFAULT_LEVEL;
    return {
      text: join(
        prefix && `--log-prefix ${quoteValue(prefix)}`,
        level !== DEFAULT_LEVEL && `--log-level ${level}`,
        ...FLAGS.map((name) => given.has(name) && `--${name}`),
      ),
      action: { kind: 'log', target: 'LOG', prefix },
    };
  },
};

/** Hands a copy to nfnetlink_log and goes on (xt_NFLOG.c). */
const nflog: TargetModule = {
  name: 'NFLOG',
  options: [
    { name: 'nflog-group' },
    { name: 'nflog-prefix' },
    { name: 'nflog-range' },
    { name: 'nflog-size' },
    { name: 'nflog-threshold' },
  ],
  build(given) {
    const prefix = prefixOf(given, 'nflog-prefix');
    const group = given.has('nflog-group') ? numberOf(wordOf(given, 'nflog-group'), 'NFLOG', 'nflog-group', 0, 65535) : 0;
    const number = (name: string, max: number) =>
      given.has(name) && `--${name} ${numberOf(wordOf(given, name), 'NFLOG', name, 0, max)}`;
    const threshold = given.has('nflog-threshold')
      ? numberOf(wordOf(given, 'nflog-threshold'), 'NFLOG', 'nflog-threshold', 0, 65535)
      : 1;
    return {
      text: join(
        prefix && `--nflog-prefix ${quoteValue(prefix)}`,
        group !== 0 && `--nflog-group ${group}`,
        number('nflog-size', 0xffffffff),
        threshold > 1 && `--nflog-threshold ${threshold}`,
      ),
      action: { kind: 'log', target: 'NFLOG', prefix },
    };
  },
};

/** NFLOG's forerunner, gone from kernels since 3.17 but not from old dumps. */
const ulog: TargetModule = {
  name: 'ULOG',
  options: [{ name: 'ulog-nlgroup' }, { name: 'ulog-prefix' }, { name: 'ulog-cprange' }, { name: 'ulog-qthreshold' }],
  build(given) {
    const prefix = prefixOf(given, 'ulog-prefix').slice(0, 31);
    const number = (name: string) => given.has(name) && `--${name} ${numberOf(wordOf(given, name), 'ULOG', name)}`;
    return {
      text: join(
        prefix && `--ulog-prefix ${quoteValue(prefix)}`,
        number('ulog-nlgroup'),
        number('ulog-cprange'),
        number('ulog-qthreshold'),
      ),
      action: { kind: 'log', target: 'ULOG', prefix },
    };
  },
};

/** Turns on the kernel's own trace for the packet (xt_TRACE.c). */
const trace: TargetModule = {
  name: 'TRACE',
  options: [],
  build: () => ({ text: '', action: { kind: 'log', target: 'TRACE', prefix: '' } }),
};

/** Makes a record for the audit daemon (xt_AUDIT.c). */
const audit: TargetModule = {
  name: 'AUDIT',
  options: [{ name: 'type', required: true }],
  build(given) {
    const type = wordOf(given, 'type').toLowerCase();
    if (!['accept', 'drop', 'reject'].includes(type)) throw new RuleError('AUDIT: Bad action type value');
    return { text: `--type ${type}`, action: { kind: 'log', target: 'AUDIT', prefix: '' } };
  },
};

export const logTargets: readonly TargetModule[] = [log, nflog, ulog, trace, audit];

function prefixOf(given: GivenOptions, option: string): string {
  const prefix = wordOf(given, option);
  if (prefix.includes('\n')) throw new RuleError(`Newlines not allowed in --${option}`);
  return prefix;
}

function levelOf(text: string): number {
  const number = parseNumber(text, 0, 7);
  const level = number ?? LEVELS.findIndex((names) => names.includes(text.toLowerCase()));
  if (level < 0) throw new RuleError(`log level "${text}" unknown`);
  return level;
}
