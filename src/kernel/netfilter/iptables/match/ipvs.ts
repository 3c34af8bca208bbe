import { PROTOCOL_NUMBER } from '../../../../net/protocol.ts';
import { formatHostMaskShort, hostMaskContains, hostMaskOf } from '../host-mask.ts';
import { RuleError } from '../option.ts';
import { protocolNumber } from '../protocol-names.ts';
import { join, not, portOf } from '../value.ts';
import type { IpvsConnection } from '../../../ipvs/connection-table.ts';
import type { MatchContext } from '../context.ts';
import type { MatchModule } from './module.ts';

type Property = 'vproto' | 'vaddr' | 'vport' | 'vdir' | 'vmethod' | 'vportctl';

/** How an option's value is printed, and whether a packet's connection has it. */
interface PropertyTest {
  readonly text: string;
  readonly holds: (connection: IpvsConnection, context: MatchContext) => boolean;
}

/** In the order of iptables-save. */
const PROPERTIES: Readonly<Record<Property, (value: string, family: 4 | 6) => PropertyTest>> = {
  vproto: (value) => {
    const number = protocolNumber(value);
    if (!number) throw new RuleError(`unknown protocol "${value}" specified`);
    return { text: `${number}`, holds: ({ protocol }) => PROTOCOL_NUMBER[protocol] === number };
  },
  vaddr: (value, family) => {
    const mask = hostMaskOf(value, family);
    return { text: formatHostMaskShort(mask), holds: ({ virtual }) => hostMaskContains(mask, virtual.address) };
  },
  vport: (value) => {
    const port = portOf(value);
    return { text: `${port}`, holds: ({ virtual }) => virtual.port === port };
  },
  vdir: (value) => {
    const name = oneOf(value, ['ORIGINAL', 'REPLY']);
    // Without a conntrack entry there is no direction, and no match either way.
    return { text: name, holds: (_, { conntrack }) => 'direction' in conntrack && conntrack.direction === name.toLowerCase() };
  },
  vmethod: (value) => {
    const name = oneOf(value, ['GATE', 'IPIP', 'MASQ']);
    return { text: name, holds: () => name === 'MASQ' };
  },
  vportctl: (value) => {
    const port = portOf(value);
    return { text: `${port}`, holds: ({ persistent, virtual }) => persistent && virtual.port === port };
  },
};

/** Whether the packet belongs to a connection of IPVS, on its way to the real server, and to which (xt_ipvs.c ipvs_mt). */
export const ipvs: MatchModule = {
  name: 'ipvs',
  options: [
    { name: 'ipvs', args: 0, negatable: true },
    ...Object.keys(PROPERTIES).map((name) => ({ name, negatable: true }) as const),
  ],
  build(given, { family }) {
    if (given.size === 0) throw new RuleError('IPVS: At least one option is required');
    const property = given.get('ipvs');
    const names = (Object.keys(PROPERTIES) as Property[]).filter((name) => given.has(name));
    const others = names.map((name) => {
      const { values, negated } = given.get(name)!;
      return { name, negated, ...PROPERTIES[name](values[0]!, family) };
    });
    return {
      text: join(
        property && `${not(property.negated)}--ipvs`,
        ...others.map(({ name, negated, text }) => `${not(negated)}--${name} ${text}`),
      ),
      test: (context) => {
        const { ipvsProperty = false, ipvsConnection = null } = context;
        // Beside other options --ipvs itself says nothing: what IPVS doesn't know never matches.
        if (others.length === 0) return ipvsProperty !== property!.negated;
        return (
          ipvsProperty &&
          ipvsConnection !== null &&
          others.every(({ holds, negated }) => holds(ipvsConnection, context) !== negated)
        );
      },
    };
  },
};

function oneOf(value: string, names: readonly string[]): string {
  const name = value.toUpperCase();
  if (!names.includes(name)) throw new RuleError(`IPVS: bad value "${value}"`);
  return name;
}
