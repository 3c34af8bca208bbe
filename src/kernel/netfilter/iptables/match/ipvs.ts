import { formatHostMaskShort, hostMaskOf } from '../host-mask.ts';
import { RuleError } from '../option.ts';
import { protocolNumber } from '../protocol-names.ts';
import { join, not, portOf } from '../value.ts';
import type { GivenOption } from '../option.ts';
import type { MatchModule } from './module.ts';

/** In the order of iptables-save, with how a value is printed. */
const PROPERTIES: Readonly<Record<string, (value: string, family: 4 | 6) => string>> = {
  vproto: (value) => {
    const number = protocolNumber(value);
    if (!number) throw new RuleError(`unknown protocol "${value}" specified`);
    return `${number}`;
  },
  vaddr: (value, family) => formatHostMaskShort(hostMaskOf(value, family)),
  vport: (value) => `${portOf(value)}`,
  vdir: (value) => oneOf(value, ['ORIGINAL', 'REPLY']),
  vmethod: (value) => oneOf(value, ['GATE', 'IPIP', 'MASQ']),
  vportctl: (value) => `${portOf(value)}`,
};

/**
 * Whether the packet belongs to a connection of IPVS (xt_ipvs.c ipvs_mt). What kind of connection can't be told; a packet that
 * IPVS does not know matches nothing but `! --ipvs`.
 */
export const ipvs: MatchModule = {
  name: 'ipvs',
  options: [
    { name: 'ipvs', args: 0, negatable: true },
    ...Object.keys(PROPERTIES).map((name) => ({ name, negatable: true }) as const),
  ],
  build(given, { family }) {
    const property = given.get('ipvs');
    const others = Object.keys(PROPERTIES).flatMap((name) => given.get(name) ?? []);
    if (given.size === 0) throw new RuleError('IPVS: At least one option is required');
    const text = (option: GivenOption) => {
      const value = option.values[0];
      return `${not(option.negated)}--${option.name}${value === undefined ? '' : ` ${PROPERTIES[option.name]!(value, family)}`}`;
    };
    return {
      text: join(property && text(property), ...others.map(text)),
      test: ({ ipvsProperty = false }) => {
        if (others.length === 0) return ipvsProperty !== property!.negated;
        return ipvsProperty ? 'unknown' : false;
      },
    };
  },
};

function oneOf(value: string, names: readonly string[]): string {
  const name = value.toUpperCase();
  if (!names.includes(name)) throw new RuleError(`IPVS: bad value "${value}"`);
  return name;
}
