import { compareIp, formatIp, isIpv4, parseIp } from '../../../../net/ip.ts';
import { RuleError } from '../option.ts';
import { join, not } from '../value.ts';
import type { IpAddress } from '../../../../net/ip.ts';
import type { GivenOption } from '../option.ts';
import type { MatchModule } from './module.ts';

/** Source or destination between two addresses (xt_iprange.c). */
export const iprange: MatchModule = {
  name: 'iprange',
  options: [
    { name: 'src-range', negatable: true },
    { name: 'dst-range', negatable: true },
  ],
  build(given, { family }) {
    const source = rangeTest(given.get('src-range'), family);
    const destination = rangeTest(given.get('dst-range'), family);
    if (!source && !destination) throw new RuleError("iprange match: You must specify `--src-range' or `--dst-range'");
    return {
      text: join(source?.text, destination?.text),
      test: ({ packet }) => (!source || source.test(packet.src)) && (!destination || destination.test(packet.dst)),
    };
  },
};

function rangeTest(
  option: GivenOption | undefined,
  family: 4 | 6,
): { readonly text: string; readonly test: (address: IpAddress) => boolean } | null {
  if (!option) return null;
  const { negated } = option;
  const [lowText, highText] = option.values[0]!.split('-');
  const low = parseIp(lowText!);
  const high = highText === undefined ? low : parseIp(highText);
  if (low === null || high === null || isIpv4(low) !== (family === 4) || isIpv4(high) !== (family === 4)) {
    throw new RuleError(`iprange: Bad IP address "${option.values[0]}"`);
  }
  return {
    text: `${not(negated)}--${option.name} ${formatIp(low)}-${formatIp(high)}`,
    test: (address) => (compareIp(address, low) >= 0 && compareIp(address, high) <= 0) !== negated,
  };
}
