import { cidrLast, parseCidr } from '../../../net/cidr.ts';
import { compareIp, formatIp, parseIp } from '../../../net/ip.ts';
import { refuse, unmodelled } from '../failure.ts';

/** Options of `ipset create` with how many words follow. */
// biome-ignore format: a table reads better in rows
const VALUES: ReadonlyMap<string, number> = new Map([
  ['family', 1], ['hashsize', 1], ['maxelem', 1], ['bucketsize', 1], ['initval', 1], ['netmask', 1], ['markmask', 1], ['timeout', 1],
  ['range', 1], ['size', 1], ['counters', 0], ['comment', 0], ['skbinfo', 0], ['forceadd', 0], ['probes', 1], ['resize', 1],
]);
const FLAGS = ['counters', 'comment', 'skbinfo'];

/** The options of `create` as `ipset save` prints them, defaults filled in. Ends the command for options that ipset refuses. */
export function createOptions(type: string, words: readonly string[]): string {
  const given = readOptions(words);
  const value = (name: string, normal: string) => `${name} ${given.get(name) ?? normal}`;
  const optional = (name: string) => (given.has(name) ? [`${name} ${given.get(name)!}`] : []);
  const common = [...optional('timeout'), ...FLAGS.filter((flag) => given.has(flag))];
  checkNumbers(given);
  if (type === 'list:set') return [value('size', '8'), ...common].join(' ');
  if (type.startsWith('bitmap:'))
    return [`range ${rangeOf(type, given.get('range'))}`, ...optional('netmask'), ...common].join(' ');
  const family = given.get('family') ?? 'inet';
  if (family !== 'inet' && family !== 'inet6' && family !== 'ipv4' && family !== 'ipv6')
    refuse(`Syntax error: unknown inet family ${family}`);
  if (given.has('netmask') && type !== 'hash:ip') refuse("Unknown argument: `netmask'");
  if (given.has('markmask') && type !== 'hash:ip,mark') refuse("Unknown argument: `markmask'");
  const name = family.endsWith('6') ? 'inet6' : 'inet';
  const familyText = type === 'hash:mac' ? [] : [`family ${name}`];
  return [
    ...familyText,
    value('hashsize', '1024'),
    value('maxelem', '65536'),
    ...optional('netmask'),
    ...optional('markmask'),
    ...common,
  ].join(' ');
}

function readOptions(words: readonly string[]): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  for (let i = 0; i < words.length; ) {
    const name = words[i++]!.replace(/^--?/, '');
    if (name === '6' || name === '4') {
      given.set('family', name === '6' ? 'inet6' : 'inet');
      continue;
    }
    const count = VALUES.get(name);
    if (count === undefined) refuse(`Unknown argument: \`${name}'`);
    if (count === 1 && i >= words.length) refuse(`Missing mandatory argument of option \`${name}'`);
    given.set(name, count === 0 ? '' : words[i++]!);
  }
  return given;
}

function checkNumbers(given: ReadonlyMap<string, string>): void {
  for (const name of ['hashsize', 'maxelem', 'timeout', 'size', 'netmask']) {
    const text = given.get(name);
    if (text !== undefined && !/^\d{1,10}$/.test(text)) refuse(`Syntax error: '${text}' is invalid as number`);
  }
}

function rangeOf(type: string, text: string | undefined): string {
  if (text === undefined) return refuse("Mandatory option `range' is missing");
  if (type === 'bitmap:port') {
    const match = /^(\d{1,5})-(\d{1,5})$/.exec(text);
    return match && Number(match[1]) <= Number(match[2]) && Number(match[2]) <= 65535
      ? text
      : unmodelled(`the port range ${text}`);
  }
  const cidr = text.includes('-') ? null : parseCidr(text);
  const [low, high] = text.split('-').map((part) => parseIp(part));
  const first = cidr?.address ?? low ?? null;
  const last = cidr ? cidrLast(cidr) : (high ?? null);
  if (first === null || last === null || compareIp(first, last) > 0)
    return refuse(`Syntax error: cannot parse ${text}: resolving to IPv4 address failed`);
  return `${formatIp(first)}-${formatIp(last)}`;
}
