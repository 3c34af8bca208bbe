import { RuleError, wordOf } from '../option.ts';
import { join, numberOf } from '../value.ts';
import type { TargetModule } from './module.ts';

const EVENTS = ['new', 'related', 'destroy', 'reply', 'assured', 'protoinfo', 'helper', 'mark', 'natseqinfo', 'secmark'];

/** How conntrack is to treat the packet (xt_CT.c). Only --notrack decides its way here. */
const ct: TargetModule = {
  name: 'CT',
  tables: ['raw'],
  options: [
    { name: 'notrack', args: 0 },
    { name: 'helper' },
    { name: 'timeout' },
    { name: 'ctevents' },
    { name: 'expevents' },
    { name: 'zone' },
    { name: 'zone-orig' },
    { name: 'zone-reply' },
  ],
  build(given) {
    const notrack = given.has('notrack');
    const zone = ['zone-orig', 'zone-reply', 'zone'].find((name) => given.has(name));
    return {
      text: join(
        notrack && '--notrack',
        given.has('helper') && `--helper ${wordOf(given, 'helper')}`,
        given.has('timeout') && `--timeout ${wordOf(given, 'timeout')}`,
        given.has('ctevents') && `--ctevents ${eventsOf(wordOf(given, 'ctevents'))}`,
        given.has('expevents') && `--expevents ${eventsOf(wordOf(given, 'expevents'))}`,
        zone !== undefined && `--${zone} ${zoneOf(wordOf(given, zone))}`,
      ),
      action: { kind: notrack ? 'notrack' : 'no-effect' },
    };
  },
};

/** The old spelling of `CT --notrack`. */
const notrack: TargetModule = {
  name: 'NOTRACK',
  tables: ['raw'],
  options: [],
  build: () => ({ text: '', action: { kind: 'notrack' } }),
};

export const conntrackTargets: readonly TargetModule[] = [ct, notrack];

function eventsOf(text: string): string {
  const given = text.split(',');
  const bad = given.find((name) => !EVENTS.includes(name));
  if (bad !== undefined) throw new RuleError(`Unknown event type "${bad}"`);
  return EVENTS.filter((name) => given.includes(name)).join(',');
}

function zoneOf(text: string): string {
  return text === 'mark' ? text : `${numberOf(text, 'CT', 'zone', 0, 65535)}`;
}
