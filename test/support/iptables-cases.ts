import { readFileSync } from 'node:fs';

/** A command line and what iptables 1.8.9 (nf_tables) on a real kernel made of it. */
export interface IptablesCase {
  readonly command: string;
  /** "TABLE -A CHAIN ..." for each rule that is there afterwards; null when it was refused. */
  readonly rules: readonly string[] | null;
  /** What it printed when it refused. */
  readonly message: string;
}

/** What is there before each case. */
export const PRELUDE = [
  'ipset create s1 hash:ip timeout 5',
  'ipset create s2 hash:ip,port',
  'iptables -N U',
  'iptables -t mangle -N U',
  'iptables -t nat -N U',
  'iptables -t raw -N U',
];

/** Reads the cases: "> COMMAND", then a line for each rule, or "! MESSAGE". */
export function readCases(): readonly IptablesCase[] {
  const text = readFileSync(new URL('../golden/iptables-commands.txt', import.meta.url), 'utf8');
  return text
    .split(/^> /m)
    .slice(1)
    .map((block) => {
      const [command, ...lines] = block.trimEnd().split('\n') as [string, ...string[]];
      const message = lines.find((line) => line.startsWith('! '))?.slice(2);
      return { command, rules: message === undefined ? lines : null, message: message ?? '' };
    });
}

/** The script that makes the file of cases anew: prints it for given command lines. */
export function caseScript(commands: readonly string[]): string {
  const show =
    'iptables-save | while read -r line; do case "$line" in "*"*) t=$(echo "$line" | cut -c2-);; -A*) printf "%s %s\\n" "$t" "$line";; esac; done';
  const clean = 'for t in filter mangle nat raw security; do iptables -t $t -F; done';
  const one = (command: string) => {
    const quoted = command.replaceAll("'", "'\\''");
    const refused = `printf '! %s\\n' "$(echo "$out" | grep -v '^Try \\|^Warning\\|^Perhaps' | grep -v '^$' | head -1)"`;
    return `printf '> %s\\n' '${quoted}'; if out=$(${command} 2>&1); then ${show}; else ${refused}; fi; ${clean}`;
  };
  return [...PRELUDE, ...commands.map(one)].join('\n');
}
