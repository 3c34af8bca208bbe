import { exactlyOne } from '../option.ts';
import { ALL_BITS, hex, join, maskedOf, numberOf } from '../value.ts';
import type { GivenOption, GivenOptions, OptionSpec } from '../option.ts';
import type { Masked } from '../value.ts';
import type { TargetModule } from './module.ts';

const MISSING = 'MARK: One of the --set-xmark, --{and,or,xor,set}-mark options is required';
const MARK_OPTIONS = ['set-xmark', 'set-mark', 'and-mark', 'or-mark', 'xor-mark'] as const;

/** Changes the packet's mark (xt_mark.c mark_tg). */
const mark: TargetModule = {
  name: 'MARK',
  options: MARK_OPTIONS.map((name) => ({ name })),
  build(given) {
    const { value, mask } = changeOf(exactlyOne(given, 'MARK', MARK_OPTIONS, MISSING), 'MARK');
    return { text: `--set-xmark ${hex(value)}/${hex(mask)}`, action: { kind: 'mark', value, mask } };
  },
};

const COPY_OPTIONS: readonly OptionSpec[] = [
  { name: 'save-mark', args: 0 },
  { name: 'restore-mark', args: 0 },
  { name: 'nfmask' },
  { name: 'ctmask' },
  { name: 'mask' },
  { name: 'left-shift-mark' },
  { name: 'right-shift-mark' },
];

/** Changes the mark of the conntrack entry, or copies marks between packet and entry (xt_connmark.c connmark_tg). */
const connmark: TargetModule = {
  name: 'CONNMARK',
  options: [...MARK_OPTIONS.map((name) => ({ name })), ...COPY_OPTIONS],
  build(given) {
    const option = exactlyOne(
      given,
      'CONNMARK',
      [...MARK_OPTIONS, 'save-mark', 'restore-mark'],
      'CONNMARK target: No operation specified',
    );
    const shift = shiftText(given);
    if (option.name === 'save-mark' || option.name === 'restore-mark') {
      const { nfmask, ctmask } = masksOf(given);
      return {
        text: join(`--${option.name}`, `--nfmask ${hex(nfmask)}`, `--ctmask ${hex(ctmask)}`, shift),
        action: shift
          ? { kind: 'unknown', name: 'CONNMARK' }
          : { kind: option.name === 'save-mark' ? 'connmark-save' : 'connmark-restore', nfmask, ctmask },
      };
    }
    const { value, mask } = changeOf(option, 'CONNMARK');
    return {
      text: join(`--set-xmark ${hex(value)}/${hex(mask)}`, shift),
      action: shift ? { kind: 'unknown', name: 'CONNMARK' } : { kind: 'connmark-set', value, mask },
    };
  },
};

export const markTargets: readonly TargetModule[] = [mark, connmark];

/** Every way to change a mark is mark = (mark & ~mask) ^ value. */
function changeOf(option: GivenOption, module: string): Masked {
  const text = option.values[0]!;
  if (option.name === 'set-xmark') return maskedOf(text, module, option.name);
  if (option.name === 'set-mark') {
    const { value, mask } = maskedOf(text, module, option.name);
    return { value, mask: (mask | value) >>> 0 };
  }
  const bits = numberOf(text, module, option.name);
  if (option.name === 'and-mark') return { value: 0, mask: ~bits >>> 0 };
  return { value: bits, mask: option.name === 'or-mark' ? bits : 0 };
}

function masksOf(given: GivenOptions): { readonly nfmask: number; readonly ctmask: number } {
  const both = given.get('mask');
  const maskOf = (name: string) => {
    const option = both ?? given.get(name);
    return option ? numberOf(option.values[0]!, 'CONNMARK', option.name) : ALL_BITS;
  };
  return { nfmask: maskOf('nfmask'), ctmask: maskOf('ctmask') };
}

function shiftText(given: GivenOptions): string {
  const option = given.get('left-shift-mark') ?? given.get('right-shift-mark');
  if (!option) return '';
  const bits = numberOf(option.values[0]!, 'CONNMARK', option.name, 0, 31);
  return bits === 0 ? '' : `--${option.name} ${bits}`;
}
