import { Option } from 'commander';
import { formatDiagnostics } from '../../render/diagnostics.ts';
import { jsonText } from '../../render/json.ts';
import { printableLines } from '../../render/printable.ts';
import { rulesDiffText } from '../../render/rules-diff.ts';
import { compareWithDump, compareWithNftDump, isNftListing, rulesText } from '../../usecase/rules-text.ts';
import { UsageError } from '../errors.ts';
import { readInputs } from '../input.ts';
import { EXIT } from '../io.ts';
import { colourChoice, fileNames, singleProxyMode, withCommonOptions } from '../options.ts';
import { scenarioFrom } from '../scenario-input.ts';
import { errorStyle, outputStyle } from '../terminal.ts';
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import type { CommonOptions, ProxyMode } from '../options.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { NodeRulesQuestion, RulesFormat } from '../../usecase/rules-text.ts';
import type { Act, CommandResult } from '../program.ts';

const FORMATS = ['iptables-save', 'ip6tables-save', 'json', 'nft', 'ipset', 'ipvsadm', 'ip', 'bridge', 'all'] as const;

interface RulesCommandOptions extends CommonOptions {
  readonly node: string;
  readonly component: 'kube-proxy' | 'cni' | 'all';
  readonly proxyMode?: ProxyMode;
  readonly diff?: string;
  readonly output: (typeof FORMATS)[number];
}

export function addRulesCommand(program: Command, io: Io, act: Act): void {
  withCommonOptions(program.command('rules'))
    .summary('print the rules that a node should have, or compare them with a dump')
    .description(
      'Prints the rules that kube-proxy and the CNI write on a node, as iptables-save (or nft, ipset, ipvsadm with -o) does: the real\n' +
        'programs take them back. -o all prints every part that the proxy mode has. With --diff,\n' +
        'says how a real node differs (exit code 1 if it does); -o json gives that comparison as data.',
    )
    .argument('[FILE...]', 'input')
    .requiredOption('--node <name>', 'the node')
    .addOption(new Option('--component <name>', 'whose rules').choices(['kube-proxy', 'cni', 'all']).default('all'))
    .option('--proxy-mode <mode>', "kube-proxy's mode in place of the cluster's own", singleProxyMode)
    .option('--diff <dump>', 'compare with this output of iptables-save or nft list ruleset (- for standard input)')
    .addOption(new Option('-o, --output <format>', 'format').choices(FORMATS).default('iptables-save'))
    .addHelpText('after', EXAMPLES)
    .action((files: readonly string[], options: RulesCommandOptions) => act(() => rules(files, options, io)));
}

async function rules(args: readonly string[], options: RulesCommandOptions, io: Io): Promise<CommandResult> {
  const { cluster } = await scenarioFrom(fileNames(args, options), io);
  const { node, component, proxyMode } = options;
  const question = { node, component, ...(proxyMode !== undefined && { proxyMode }) };
  if (options.diff !== undefined) {
    const [dump] = await readInputs([options.diff], io);
    if (isNftListing(dump!.text) || options.output === 'nft') return nftDiff(cluster, question, dump!, options, io);
    const result = compareWithDump(cluster, { ...question, family: options.output === 'ip6tables-save' ? 6 : 4 }, dump!);
    if (!result.ok) throw new UsageError(result.message);
    const { diff, diagnostics } = result.value;
    io.err(formatDiagnostics(diagnostics, errorStyle(io)));
    const stdout = options.output === 'json' ? jsonText(diff) : rulesDiffText(diff, outputStyle(io, colourChoice(options)));
    return { stdout, exitCode: diff.same ? EXIT.yes : EXIT.no };
  }
  const result = rulesText(cluster, { ...question, format: formatOf(options.output) });
  if (!result.ok) throw new UsageError(result.message);
  return { stdout: printableLines(result.value), exitCode: EXIT.yes };
}

function nftDiff(
  cluster: Scenario['cluster'],
  question: Omit<NodeRulesQuestion, 'family'>,
  { name: file, text }: { readonly name: string; readonly text: string },
  options: RulesCommandOptions,
  io: Io,
): CommandResult {
  const result = compareWithNftDump(cluster, question, { file, text });
  if (!result.ok) throw new UsageError(result.message);
  const diff = result.value;
  const stdout = options.output === 'json' ? jsonText(diff) : rulesDiffText(diff, outputStyle(io, colourChoice(options)));
  return { stdout, exitCode: diff.same ? EXIT.yes : EXIT.no };
}

/** @throws UsageError for a format that has nothing to print yet */
function formatOf(output: RulesCommandOptions['output']): RulesFormat {
  switch (output) {
    case 'json':
      throw new UsageError('-o json is for --diff', 'rules themselves are printed as iptables-save and the like do');
    case 'ip':
    case 'bridge':
      throw new UsageError(
        `-o ${output} is not modelled yet`,
        `modelled: ${FORMATS.filter((f) => f !== 'ip' && f !== 'bridge').join(', ')}`,
      );
    default:
      return output;
  }
}

const EXAMPLES = `
Examples:
  k8snet rules scenarios/tutorial.yaml --node node-1
  k8snet rules cluster.yaml --node node-1 --component kube-proxy | iptables-restore --test
  k8snet rules cluster.yaml --node node-1 --proxy-mode nftables -o nft
  iptables-save | k8snet rules cluster.yaml --node node-1 --diff -
`;
