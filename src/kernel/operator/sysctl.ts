import { sysctlPath, writeSysctl } from '../sysctl-write.ts';
import { attempt, refuse, unmodelled } from './failure.ts';
import { isIgnoredSetting, isSysctlValue, sysctlKind } from './sysctl-keys.ts';
import { splitWords } from './words.ts';
import type { Host } from '../host.ts';
import type { OperatorResult } from './result.ts';

const FLAGS: readonly string[] = [
  '-w',
  '--write',
  '-q',
  '--quiet',
  '-n',
  '--values',
  '-N',
  '--names',
  '-e',
  '--ignore',
  '-a',
  '--all',
  '-A',
  '-X',
  '-b',
];

/** `sysctl ...`; `words` behind the program's name. One key that can't be set leaves all as they were. */
export function sysctlCommand(host: Host, words: readonly string[]): OperatorResult {
  return attempt(() => ({ ok: true, host: run(host, words) }));
}

/** The keys of a command line's settings that may change what becomes of a packet, and that k8snet takes no notice of. */
export function settingsWithoutEffect(line: string): readonly string[] {
  const words = splitWords(line) ?? [];
  const [program = '', ...rest] = words[0] === 'sudo' ? words.slice(1) : words;
  if (!/^((\/usr)?\/s?bin\/)?sysctl$/.test(program)) return [];
  return rest.flatMap((word) => {
    const [key = '', value] = word.split(/=(.*)/s);
    return !word.startsWith('-') && value !== undefined && isIgnoredSetting(sysctlPath(key), value.trim()) ? [key] : [];
  });
}

function run(host: Host, words: readonly string[]): Host {
  const flags = words.filter((word) => word.startsWith('-'));
  const unknown = flags.find((flag) => !FLAGS.includes(flag));
  if (unknown !== undefined) unmodelled(`sysctl ${unknown}`);
  const settings = words.filter((word) => !word.startsWith('-'));
  const write = flags.includes('-w') || flags.includes('--write');
  const ignore = flags.includes('-e') || flags.includes('--ignore');
  return settings.reduce((changed, setting) => apply(changed, setting, write, ignore), host);
}

function apply(host: Host, setting: string, write: boolean, ignore: boolean): Host {
  const equals = setting.indexOf('=');
  if (equals < 0 && write) refuse('sysctl: command line(0): invalid syntax, continuing...');
  const text = equals < 0 ? setting : setting.slice(0, equals);
  const path = sysctlPath(text);
  const kind = sysctlKind((device) => host.devices.has(device), path);
  if (kind === 'missing') {
    if (ignore) return host;
    refuse(`sysctl: cannot stat /proc/sys/${path.join('/')}: No such file or directory`);
  }
  if (equals < 0) return host;
  const value = setting.slice(equals + 1).trim();
  if (!isSysctlValue(path, kind, value)) refuse(`sysctl: setting key "${text}": Invalid argument`);
  return { ...host, sysctls: writeSysctl(host.sysctls, path.join('.'), kind === 'integer' ? String(Number(value)) : value) };
}
