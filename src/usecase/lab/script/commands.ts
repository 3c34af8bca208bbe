import { splitWords } from '../../../kernel/operator/words.ts';
import { LabError } from '../lab-error.ts';
import { quoteWord } from './shell.ts';

/** Programs that, run in a namespace, change nothing outside it. */
const PROGRAMS = new Set([
  'ip',
  'bridge',
  'sysctl',
  'iptables',
  'ip6tables',
  'iptables-nft',
  'ip6tables-nft',
  'iptables-legacy',
  'ip6tables-legacy',
  'ipset',
  'nft',
  'conntrack',
]);
/** Options of `ip` and `bridge` that lead out of the namespace, or to files. */
const LEADING_OUT = /^-(n|netns|net|b|batch|a|all)$/;
/** Safe in a script as they are: words without patterns, tildes and braces, and plain quotes. */
const AS_WRITTEN = /^[\w\s.,:/=+@%^!"'-]*$/;

/**
 * An operator's command line for a shell script, as it was written where a shell would read it as k8snet does.
 * @throws LabError for a command that could reach beyond its namespace
 */
export function commandText(host: string, line: string): string {
  const words = splitWords(line);
  if (words === null || words.length === 0) throw new LabError(`${host}: "${line}" is not one plain command`);
  const reason = reachesOut(words);
  if (reason !== null) throw new LabError(`${host}: "${line}" ${reason}`);
  return AS_WRITTEN.test(line) ? line.trim().replace(/\s*\n\s*/g, ' ') : words.map(quoteWord).join(' ');
}

function reachesOut([program, ...rest]: readonly string[]): string | null {
  if (program === undefined || !PROGRAMS.has(program)) return 'is not a command of the network';
  switch (program) {
    case 'ip':
    case 'bridge': {
      const object = rest.find((word) => !word.startsWith('-'));
      if (object !== undefined && 'netns'.startsWith(object) && object.length >= 2) return 'is about other namespaces';
      if (object !== undefined && object === 'vrf') return 'runs other programs';
      if (rest.some((word) => LEADING_OUT.test(word)) || rest.includes('netns')) return 'leads out of its namespace';
      return null;
    }
    case 'sysctl': {
      const keys = rest.filter((word) => !word.startsWith('-'));
      return keys.every((key) => key.replaceAll('/', '.').startsWith('net.')) &&
        !rest.some((word) => /^-(p|-load|-system)/.test(word))
        ? null
        : 'is not a setting of a network namespace';
    }
    case 'nft':
    case 'ipset':
      return rest.some((word) => /^-(f|-file|I|-includepath)/.test(word)) ? 'reads files' : null;
    default:
      return rest.some((word) => /^--?modprobe/.test(word) || /^-M/.test(word)) ? 'runs other programs' : null;
  }
}
