import { RuleError } from '../option.ts';
import { join, not } from '../value.ts';
import { interfaceMatches } from './base.ts';
import type { MatchContext } from '../context.ts';
import type { GivenOption, GivenOptions } from '../option.ts';
import type { MatchModule } from './module.ts';

/** In the order of iptables-save. */
const NAMES = ['physdev-is-in', 'physdev-in', 'physdev-is-out', 'physdev-out', 'physdev-is-bridged'] as const;

const NOT_OUTPUT = ['PREROUTING', 'INPUT', 'FORWARD', 'POSTROUTING'] as const;

/** Bridge ports of a packet (xt_physdev.c physdev_mt). Without br_netfilter there are none: only negated options hold then. */
export const physdev: MatchModule = {
  name: 'physdev',
  options: NAMES.map((name) => ({ name, negatable: true, args: name.includes('-is-') ? 0 : 1 })),
  build(given) {
    const options = NAMES.flatMap((name) => given.get(name) ?? []);
    if (options.length === 0) throw new RuleError('PHYSDEV: no physdev option specified');
    return {
      text: join(...options.map(({ name, negated, values }) => `${not(negated)}--${name}${values.map((v) => ` ${v}`).join('')}`)),
      // Local output doesn't know its bridge port yet (physdev_mt_check).
      ...((given.has('physdev-out') || given.has('physdev-is-out')) && { baseHooks: NOT_OUTPUT }),
      test: (context) =>
        context.physIn === null && context.physOut === null ? options.every(({ negated }) => negated) : ports(given, context),
    };
  },
};

function ports(given: GivenOptions, { physIn, physOut }: MatchContext): boolean {
  const is = (option: GivenOption | undefined, fact: boolean) => !option || fact !== option.negated;
  const named = (option: GivenOption, device: string) => interfaceMatches(option.values[0]!, device) !== option.negated;
  const out = given.get('physdev-out');
  const inside = given.get('physdev-in');
  return (
    is(given.get('physdev-is-bridged'), physOut !== null) &&
    is(given.get('physdev-is-in'), physIn !== null) &&
    is(given.get('physdev-is-out'), physOut !== null) &&
    (!inside || physIn === null || named(inside, physIn)) &&
    (!out || (physOut !== null && named(out, physOut)))
  );
}
