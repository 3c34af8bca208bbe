import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { addCheckCommand } from './commands/check.ts';
import { addExplainCommand } from './commands/explain.ts';
import { addLabCommand } from './commands/lab.ts';
import { addRulesCommand } from './commands/rules.ts';
import { addTopologyCommand } from './commands/topology.ts';
import { addTraceCommand } from './commands/trace.ts';
import { nearest } from '../support/nearest.ts';
import { UsageError } from './errors.ts';
import { printableLines } from '../render/printable.ts';
import type { ExitCode, Io } from './io.ts';

/** What a command gives back: the text for stdout, whole or in pieces that are made when they are written, and the exit code. */
export interface CommandResult {
  readonly stdout: string | Iterable<string>;
  readonly exitCode: ExitCode;
}

/** Turns a command's work into commander's action: output comes last and at once, so that a failing command prints no data. */
export type Act = (work: () => Promise<CommandResult>) => Promise<void>;

/** About as much as is written at once. */
const CHUNK = 1 << 20;

function* gathered(parts: Iterable<string>): Generator<string> {
  let waiting: string[] = [];
  let length = 0;
  for (const part of parts) {
    waiting.push(part);
    length += part.length;
    if (length < CHUNK) continue;
    yield waiting.join('');
    [waiting, length] = [[], 0];
  }
  yield waiting.join('');
}

const COMMANDS: ReadonlyMap<string, (program: Command, io: Io, act: Act) => void> = new Map([
  ['trace', addTraceCommand],
  ['rules', addRulesCommand],
  ['check', addCheckCommand],
  ['topology', addTopologyCommand],
  ['explain', addExplainCommand],
  ['lab', addLabCommand],
]);

/**
 * The whole command line; `onExit` is told the exit code of the command that ran. `word` is the first one: if it is a command, the others
 * are left out, which nobody can tell and which makes the start quicker.
 */
export function buildProgram(io: Io, onExit: (code: ExitCode) => void, word: string | undefined): Command {
  const act: Act = async (work) => {
    const { stdout, exitCode } = await work();
    for (const part of typeof stdout === 'string' ? [stdout] : gathered(stdout)) io.out(part);
    onExit(exitCode);
  };
  const program = new Command('k8snet')
    .description('What happens to this packet? Walks a connection through a Kubernetes cluster hop by hop, offline.')
    .version(readVersion(io), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: io.out,
      writeErr: io.err,
      outputError: (text, write) =>
        write(
          printableLines(text.trim())
            .replace(/^error: /, 'k8snet: error: ')
            .concat('\n'),
        ),
      getOutHelpWidth: () => 100,
      getErrHelpWidth: () => 100,
    })
    .addHelpText('after', EXAMPLES);
  const only = COMMANDS.get(word ?? '');
  for (const add of only === undefined ? COMMANDS.values() : [only]) add(program, io, act);
  addHelpCommand(program);
  pointToOwnHelp(program, 'k8snet');
  return program;
}

/** As commander's own, but for a command that there is not. */
function addHelpCommand(program: Command): void {
  program
    .command('help')
    .summary('print help for a command')
    .description('Prints help for a command.')
    .argument('[command]', 'which')
    .action((name: string | undefined) => {
      if (name === undefined) return program.help();
      const named = program.commands.find((command) => command.name() === name);
      if (named) return named.help();
      const names = program.commands.map((command) => command.name());
      const near = nearest(name, names);
      throw new UsageError(
        `unknown command '${name}'`,
        near === null ? `commands: ${names.join(', ')}` : `did you mean ${near}?`,
      );
    });
}

/** After a mistake in a command's flags its own help is what helps. */
function pointToOwnHelp(command: Command, path: string): void {
  command.showHelpAfterError(`Try '${path} --help'.`);
  for (const sub of command.commands) pointToOwnHelp(sub, `${path} ${sub.name()}`);
}

function readVersion(io: Io): string {
  const { version } = JSON.parse(readFileSync(join(io.packageRoot, 'package.json'), 'utf8')) as { version: string };
  return version;
}

const EXAMPLES = `
Examples:
  k8snet trace                                                     the bundled tutorial
  k8snet trace cluster.yaml --from pod/client --to svc/web:80      from a pod to a service
  kubectl get nodes,pods,svc,endpointslices -A -o yaml | k8snet trace - --from pod/client --to svc/web:80
  k8snet rules cluster.yaml --node node-1                          what kube-proxy and the CNI write there
  k8snet topology scenarios/tutorial.yaml                          draw its network
  k8snet check scenarios/tutorial.yaml                             run the checks of a scenario

Exit codes: 0 yes, 1 no, 2 wrong input or command line, 3 a fault of k8snet.
`;
