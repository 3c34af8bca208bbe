import { Option } from 'commander';
import { explanationText } from '../../render/explain.ts';
import { jsonText } from '../../render/json.ts';
import { explainName } from '../../usecase/explain-name.ts';
import { UsageError } from '../errors.ts';
import { EXIT } from '../io.ts';
import { colourChoice, fileNames, withCommonOptions } from '../options.ts';
import { scenarioFrom } from '../scenario-input.ts';
import { outputStyle } from '../terminal.ts';
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import type { CommonOptions } from '../options.ts';
import type { Act, CommandResult } from '../program.ts';

interface ExplainCommandOptions extends CommonOptions {
  readonly node?: string;
  readonly output: 'text' | 'json';
}

export function addExplainCommand(program: Command, io: Io, act: Act): void {
  withCommonOptions(program.command('explain'))
    .summary('say what a chain or rule is for and whose it is')
    .description(
      'Says what an iptables chain is for, whose it is, and what each of its rules does on a node; for a service, all its chains.',
    )
    .argument('<CHAIN|REF>', 'a chain (KUBE-SERVICES) or a service (svc/web)')
    .argument('[FILE...]', 'input')
    .option('--node <name>', 'whose rules to show (default: the first node)')
    .addOption(new Option('-o, --output <format>', 'format').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLES)
    .action((name: string, files: readonly string[], options: ExplainCommandOptions) =>
      act(() => explain(name, files, options, io)),
    );
}

async function explain(name: string, args: readonly string[], options: ExplainCommandOptions, io: Io): Promise<CommandResult> {
  const { cluster } = await scenarioFrom(fileNames(args, options), io);
  const result = explainName(cluster, name, options.node ?? null, options.namespace ?? 'default');
  if (!result.ok) throw new UsageError(result.message);
  const style = outputStyle(io, colourChoice(options));
  const stdout =
    options.output === 'json'
      ? jsonText({ apiVersion: 'k8snet/v1', kind: 'Explanation', chains: result.value })
      : result.value.map((chain) => explanationText(chain, style)).join('\n');
  return { stdout, exitCode: EXIT.yes };
}

const EXAMPLES = `
Examples:
  k8snet explain KUBE-SERVICES scenarios/tutorial.yaml --node node-1
  k8snet explain svc/web scenarios/tutorial.yaml
`;
