import { exactlyOne } from '../option.ts';
import { not, numberOf } from '../value.ts';
import type { MatchModule } from './module.ts';

/** Time to live of an IPv4 packet (xt_hl.c ttl_mt). */
export const ttl = hopModule('ttl', ['ttl']);
/** Hop limit of an IPv6 packet (xt_hl.c hl_mt6). */
export const hl = hopModule('hl', []);

function hopModule(name: 'ttl' | 'hl', aliases: readonly string[]): MatchModule {
  const options = [`${name}-eq`, `${name}-lt`, `${name}-gt`];
  const missing = `${name.toUpperCase()} match: You must specify one of ${options
    .map((option) => `\`--${option}'`)
    .join(', ')
    .slice(0, -1)}`;
  return {
    name,
    options: [{ name: `${name}-eq`, aliases, negatable: true }, { name: `${name}-lt` }, { name: `${name}-gt` }],
    build(given) {
      const { name: option, values, negated } = exactlyOne(given, name, options, missing);
      const wanted = numberOf(values[0]!, name, option, 0, 255);
      const compare = { eq: (n: number) => n === wanted, lt: (n: number) => n < wanted, gt: (n: number) => n > wanted };
      const test = compare[option.slice(-2) as keyof typeof compare];
      return { text: `${not(negated)}--${option} ${wanted}`, test: ({ packet }) => test(packet.ttl) !== negated };
    },
  };
}
