import { InvalidArgumentError, Option } from 'commander';
import { UsageError } from './errors.ts';
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
const MODELLED_PROXY_MODES = ['iptables', 'none'] as const;
export type ModelledProxyMode = (typeof MODELLED_PROXY_MODES)[number];

/**
 * `--proxy-mode iptables,none`
 * @throws InvalidArgumentError for a word that is no mode, UsageError for a mode that k8snet does not model yet
 */
export function proxyModes(text: string): readonly ModelledProxyMode[] {
  const modes = text.split(',').map((mode) => mode.trim());
  for (const mode of modes) {
    if (!(PROXY_MODES as readonly string[]).includes(mode)) throw new InvalidArgumentError(`expected ${PROXY_MODES.join(', ')}`);
    if (!isModelled(mode))
      throw new UsageError(`proxy mode ${mode} is not modelled yet`, `modelled: ${MODELLED_PROXY_MODES.join(', ')}`);
  }
  return modes.filter(isModelled);
}

/** `--proxy-mode iptables`; as {@link proxyModes}, but one. */
export function singleProxyMode(text: string): ModelledProxyMode {
  const [mode, ...more] = proxyModes(text);
  if (mode === undefined || more.length > 0) throw new InvalidArgumentError('expected one mode');
  return mode;
}

function isModelled(mode: string): mode is ModelledProxyMode {
  return (MODELLED_PROXY_MODES as readonly string[]).includes(mode);
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
