import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { ColourChoice } from './terminal.ts';

/** Flags that every command has. */
export interface CommonOptions {
  readonly filename?: readonly string[];
  readonly namespace?: string;
  readonly color?: ColourChoice | false;
}

/** Adds FILE..., -f, -n and --color. */
export function withCommonOptions(command: Command): Command {
  return command
    .option('-f, --filename <file>', 'the same as FILE, as kubectl spells it (repeatable)', collect)
    .option('-n, --namespace <name>', 'namespace of references that name none (default: "default")')
    .addOption(
      new Option('--color <when>', 'auto (default): on a terminal, NO_COLOR and FORCE_COLOR heeded').choices([
        'auto',
        'always',
        'never',
      ]),
    )
    .addOption(new Option('--no-color', 'the same as --color never').hideHelp());
}

/** The files of a command line, in the order given: arguments first. */
export function fileNames(args: readonly string[], options: CommonOptions): readonly string[] {
  return [...args, ...(options.filename ?? [])];
}

export function colourChoice(options: CommonOptions): ColourChoice | undefined {
  return options.color === false ? 'never' : options.color;
}

/** For flags that may be given several times. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** A parser of whole numbers from `min` to `max`. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new InvalidArgumentError(`expected a whole number from ${min} to ${max}`);
    return value;
  };
}

const PROXY_MODES = ['iptables', 'ipvs', 'nftables', 'userspace', 'none'] as const;
export type ProxyMode = (typeof PROXY_MODES)[number];

/**
 * `--proxy-mode iptables,none`; whether a mode is modelled is the engine's to say.
 * @throws InvalidArgumentError for a word that is no mode
 */
export function proxyModes(text: string): readonly ProxyMode[] {
  return text.split(',').map((word) => {
    const mode = PROXY_MODES.find((known) => known === word.trim());
    if (mode === undefined) throw new InvalidArgumentError(`expected ${PROXY_MODES.join(', ')}`);
    return mode;
  });
}

/** `--proxy-mode iptables`; as {@link proxyModes}, but one. */
export function singleProxyMode(text: string): ProxyMode {
  const [mode, ...more] = proxyModes(text);
  if (mode === undefined || more.length > 0) throw new InvalidArgumentError('expected one mode');
  return mode;
}

/** `--do 'HOST: COMMAND'` */
export interface HostCommand {
  readonly host: string;
  readonly command: string;
}

/** @throws InvalidArgumentError */
export function hostCommand(text: string, before: readonly HostCommand[] | undefined): readonly HostCommand[] {
  const match = /^\s*([^\s:]+)\s*:\s*(\S.*)$/s.exec(text);
  if (!match) throw new InvalidArgumentError("expected 'HOST: COMMAND', for example 'node-1: ip route del 10.244.1.0/24'");
  return [...(before ?? []), { host: match[1]!, command: match[2]!.trim() }];
}
