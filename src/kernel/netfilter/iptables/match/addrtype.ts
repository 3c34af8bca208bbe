import { RuleError } from '../option.ts';
import { join, not } from '../value.ts';
import type { AddressType } from '../context.ts';
import type { GivenOption } from '../option.ts';
import type { MatchModule } from './module.ts';

/** In the order of RTN_*, as iptables-save lists them. */
// biome-ignore format: a table reads better in rows
const TYPES: readonly (AddressType | 'NAT' | 'XRESOLVE')[] = [
  'UNSPEC', 'UNICAST', 'LOCAL', 'BROADCAST', 'ANYCAST', 'MULTICAST', 'BLACKHOLE', 'UNREACHABLE', 'PROHIBIT', 'THROW', 'NAT', 'XRESOLVE',
];

/** What kind of address source or destination are for the routing tables (xt_addrtype.c addrtype_mt_v1). */
export const addrtype: MatchModule = {
  name: 'addrtype',
  options: [
    { name: 'src-type', negatable: true },
    { name: 'dst-type', negatable: true },
    { name: 'limit-iface-in', args: 0 },
    { name: 'limit-iface-out', args: 0 },
  ],
  build(given) {
    const source = typesOf(given.get('src-type'));
    const destination = typesOf(given.get('dst-type'));
    const limitIn = given.has('limit-iface-in');
    const limitOut = given.has('limit-iface-out');
    if (!source && !destination) throw new RuleError('addrtype: you must specify --src-type or --dst-type');
    if (limitIn && limitOut) throw new RuleError("addrtype: you can't specify both --limit-iface-in and --limit-iface-out");
    return {
      text: join(source?.text, destination?.text, limitIn && '--limit-iface-in', limitOut && '--limit-iface-out'),
      ...(limitIn && { baseHooks: ['PREROUTING', 'INPUT', 'FORWARD'] as const }),
      ...(limitOut && { baseHooks: ['FORWARD', 'OUTPUT', 'POSTROUTING'] as const }),
      test: (context) => {
        const device = limitIn ? context.inDevice : limitOut ? context.outDevice : null;
        const { src, dst } = context.packet;
        return (
          (!source || source.types.has(context.addressType(src, device)) !== source.negated) &&
          (!destination || destination.types.has(context.addressType(dst, device)) !== destination.negated)
        );
      },
    };
  },
};

function typesOf(
  option: GivenOption | undefined,
): { readonly types: ReadonlySet<string>; readonly negated: boolean; readonly text: string } | null {
  if (!option) return null;
  const { negated } = option;
  const types = new Set(option.values[0]!.toUpperCase().split(','));
  const known: readonly string[] = TYPES;
  const bad = [...types].find((type) => !known.includes(type));
  if (bad !== undefined) throw new RuleError(`addrtype: bad type \`${bad}'`);
  return { types, negated, text: `${not(negated)}--${option.name} ${known.filter((type) => types.has(type)).join(',')}` };
}
