import { PROTOCOL_NUMBER } from '../../../../net/protocol.ts';
import { dscpOfClass } from '../dscp-class.ts';
import { exactlyOne, invalidArgument, RuleError, wordOf } from '../option.ts';
import { hex2, maskedOf, numberOf } from '../value.ts';
import type { GivenOption } from '../option.ts';
import type { Masked } from '../value.ts';
import type { TargetModule } from './module.ts';

/** Hooks in which the way out is known. */
const ROUTED = ['FORWARD', 'OUTPUT', 'POSTROUTING'] as const;

/** Time to live (xt_HL.c ttl_tg) and hop limit (hl_tg6). */
const ttl = hopTarget('TTL', 'ttl');
const hl = hopTarget('HL', 'hl');

/** The upper six bits of TOS (xt_DSCP.c dscp_tg). */
const dscp: TargetModule = {
  name: 'DSCP',
  tables: ['mangle'],
  options: [{ name: 'set-dscp' }, { name: 'set-dscp-class' }],
  build(given) {
    const { name, values } = exactlyOne(
      given,
      'DSCP',
      ['set-dscp', 'set-dscp-class'],
      'DSCP target: Parameter --set-dscp is required',
    );
    const value = name === 'set-dscp' ? numberOf(values[0]!, 'DSCP', 'set-dscp', 0, 0x3f) : dscpOfClass(values[0]!);
    return { text: `--set-dscp ${hex2(value)}`, action: { kind: 'tos', value: value << 2, mask: 0xfc } };
  },
};

const TOS_NAMES: ReadonlyMap<string, number> = new Map([
  ['minimize-delay', 0x10],
  ['maximize-throughput', 0x08],
  ['maximize-reliability', 0x04],
  ['minimize-cost', 0x02],
  ['normal-service', 0],
]);
const TOS_OPTIONS = ['set-tos', 'and-tos', 'or-tos', 'xor-tos'] as const;

/** Bits of TOS (xt_DSCP.c tos_tg). */
const tos: TargetModule = {
  name: 'TOS',
  tables: ['mangle'],
  options: TOS_OPTIONS.map((name) => ({ name })),
  build(given) {
    const { value, mask } = tosOf(exactlyOne(given, 'TOS', TOS_OPTIONS, 'TOS: An action is required'));
    return { text: `--set-tos ${hex2(value)}/${hex2(mask)}`, action: { kind: 'tos', value, mask } };
  },
};

/** Lowers the MSS of a SYN (xt_TCPMSS.c). */
const tcpmss: TargetModule = {
  name: 'TCPMSS',
  options: [{ name: 'set-mss' }, { name: 'clamp-mss-to-pmtu', args: 0 }],
  build(given, { protocol }) {
    const option = exactlyOne(
      given,
      'TCPMSS',
      ['set-mss', 'clamp-mss-to-pmtu'],
      'TCPMSS target: At least one parameter is required',
    );
    if (protocol.number !== PROTOCOL_NUMBER.tcp || protocol.negated) throw invalidArgument();
    if (option.name === 'clamp-mss-to-pmtu')
      return { text: '--clamp-mss-to-pmtu', action: { kind: 'tcpmss', value: null }, baseHooks: ROUTED };
    const value = numberOf(option.values[0]!, 'TCPMSS', 'set-mss', 0, 65495);
    return { text: `--set-mss ${value}`, action: { kind: 'tcpmss', value } };
  },
};

/** Traffic class for queueing disciplines (xt_CLASSIFY.c). */
const classify: TargetModule = {
  name: 'CLASSIFY',
  hooks: ROUTED,
  options: [{ name: 'set-class', required: true }],
  build(given) {
    const match = /^([\da-f]{1,4}):([\da-f]{1,4})$/i.exec(wordOf(given, 'set-class'));
    if (!match) throw new RuleError(`Bad class value \`${wordOf(given, 'set-class')}'`);
    const text = [match[1]!, match[2]!].map((half) => half.toLowerCase().padStart(4, '0')).join(':');
    return { text: `--set-class ${text}`, action: { kind: 'no-effect' } };
  },
};

/** Fills in a checksum left to the hardware (xt_CHECKSUM.c). */
const checksum: TargetModule = {
  name: 'CHECKSUM',
  tables: ['mangle'],
  options: [{ name: 'checksum-fill', args: 0, required: true }],
  build: () => ({ text: '--checksum-fill', action: { kind: 'no-effect' } }),
};

export const mangleTargets: readonly TargetModule[] = [ttl, hl, dscp, tos, tcpmss, classify, checksum];

function hopTarget(name: string, prefix: string): TargetModule {
  const options = ['set', 'inc', 'dec'].map((op) => `${prefix}-${op}`);
  return {
    name,
    tables: ['mangle'],
    options: options.map((option) => ({ name: option })),
    build(given) {
      const option = exactlyOne(given, name, options, `${name}: You must specify an action`);
      const op = option.name.slice(-3) as 'set' | 'inc' | 'dec';
      const value = numberOf(option.values[0]!, name, option.name, op === 'set' ? 0 : 1, 255);
      return { text: `--${option.name} ${value}`, action: { kind: 'ttl', op, value } };
    },
  };
}

/** A name sets the six bits that are TOS in the old sense, a plain number all eight. */
function tosOf({ name, values }: GivenOption): Masked {
  const text = values[0]!;
  if (name === 'set-tos') {
    const named = TOS_NAMES.get(text.toLowerCase());
    if (named !== undefined) return { value: named, mask: 0x3f };
    const { value, mask } = maskedOf(text, 'TOS', name);
    return { value: value & 0xff, mask: mask & 0xff };
  }
  const bits = numberOf(text, 'TOS', name, 0, 0xff);
  if (name === 'and-tos') return { value: 0, mask: ~bits & 0xff };
  return { value: bits, mask: name === 'or-tos' ? bits : 0 };
}
