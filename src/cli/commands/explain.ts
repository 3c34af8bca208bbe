import { Option } from 'commander';
import { explanationText } from '../../render/explain.ts';
import { jsonText } from '../../render/json.ts';
import { addressText, nodeSummary } from '../../render/registration/node.ts';
import { podText } from '../../render/registration/pod.ts';
import { registrationText } from '../../render/registration/service.ts';
import { engine } from '../../usecase/engine.ts';
import { explain as explained } from '../../usecase/explain-ref.ts';
import { InputError, UsageError } from '../errors.ts';
import { EXIT } from '../io.ts';
import { colourChoice, fileNames, withCommonOptions } from '../options.ts';
import { scenarioFrom } from '../scenario-input.ts';
import { outputStyle } from '../terminal.ts';
import type { Command } from 'commander';
import type { Style } from '../../render/style.ts';
import type { Explanation } from '../../trace/explanation.ts';
import type { Io } from '../io.ts';
import type { CommonOptions } from '../options.ts';
import type { Act, CommandResult } from '../program.ts';

interface ExplainCommandOptions extends CommonOptions {
  readonly node?: string;
  readonly detail: 'path' | 'rules';
  readonly output: 'text' | 'json';
}

export function addExplainCommand(program: Command, io: Io, act: Act): void {
  withCommonOptions(program.command('explain'))
    .summary('say how a service comes to its rules, what a chain is for, whose an address is')
    .description(
      'A service: from its selector by pods and endpoint slices to the rules of each node, and from its name to an endpoint, with the\n' +
        'program that owns each step; why it leads nowhere, where it does. A pod: which services take it, and why others do not. A node, an\n' +
        'address: what and whose it is. An iptables chain: what it is for, whose it is, and what each of its rules does.',
    )
    .argument('<CHAIN|REF>', 'a chain (KUBE-SERVICES), svc/NAME, pod/NAME, node/NAME or IP[:PORT]')
    .argument('[FILE...]', 'input')
    .option('--node <name>', 'whose rules to show (default: the first node for a chain, all nodes for a service)')
    .addOption(
      new Option('--detail <level>', 'of a service: the path to its rules, or each rule with a sentence, too')
        .choices(['path', 'rules'])
        .default('path'),
    )
    .addOption(new Option('-o, --output <format>', 'format').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLES)
    .action((name: string, files: readonly string[], options: ExplainCommandOptions) =>
      act(() => explain(name, files, options, io)),
    );
}

async function explain(text: string, args: readonly string[], options: ExplainCommandOptions, io: Io): Promise<CommandResult> {
  const { cluster } = await scenarioFrom(fileNames(args, options), io);
  const question = { text, node: options.node ?? null, namespace: options.namespace ?? 'default' };
  const result = explained(cluster, question, engine);
  if (!result.ok) throw 'message' in result ? new UsageError(result.message) : new InputError(result.diagnostics);
  const { explanation } = result;
  const style = outputStyle(io, colourChoice(options));
  const stdout = options.output === 'json' ? jsonText(explanation) : textOf(explanation, options.detail, style);
  return { stdout, exitCode: EXIT.yes };
}

function textOf(explanation: Explanation, detail: ExplainCommandOptions['detail'], style: Style): string {
  const { service, pod, node, address, chains } = explanation;
  if (pod !== undefined) return podText(pod, style);
  if (node !== undefined) return nodeSummary(node, style);
  if (address !== undefined) return addressText(address, style);
  const rules = chains.map((chain) => explanationText(chain, style));
  if (service === undefined) return rules.join('\n');
  return [registrationText(service, style), ...(detail === 'rules' ? rules : [])].join('\n');
}

const EXAMPLES = `
Examples:
  k8snet explain svc/web scenarios/tutorial.yaml                      from selector to rules
  k8snet explain svc/web scenarios/tutorial.yaml --detail rules       each of its rules, too
  k8snet explain svc/web scenarios/06-selector-broken.yaml            why it leads nowhere
  k8snet explain pod/web-1 scenarios/tutorial.yaml
  k8snet explain 10.96.0.20:80 scenarios/tutorial.yaml
  k8snet explain KUBE-SERVICES scenarios/tutorial.yaml --node node-1
`;
