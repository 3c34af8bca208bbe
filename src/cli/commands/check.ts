import { InvalidArgumentError, Option } from 'commander';
import { checkGithub } from '../../render/check/github.ts';
import { checkJunit } from '../../render/check/junit.ts';
import { checkText } from '../../render/check/text.ts';
import { formatDiagnostics } from '../../render/diagnostics.ts';
import { jsonParts, jsonText } from '../../render/json.ts';
import { checkDiagnostics } from '../../usecase/check-diagnostics.ts';
import { runChecks } from '../../usecase/check.ts';
import { engine } from '../../usecase/engine.ts';
import { allChecks } from '../../usecase/find-check.ts';
import { openLaboratory } from '../../usecase/laboratory.ts';
import { InputError, UsageError } from '../errors.ts';
import { EXIT } from '../io.ts';
import { colourChoice, fileNames, hostCommand, singleProxyMode, withCommonOptions } from '../options.ts';
import { progressOn } from '../progress.ts';
import { scenarioFrom } from '../scenario-input.ts';
import { errorStyle, outputStyle } from '../terminal.ts';
import { writeFileAtomically } from '../write-file.ts';
import type { Command } from 'commander';
import type { Scenario } from '../../scenario/scenario.ts';
import type { CheckReport } from '../../trace/check-report.ts';
import type { Io } from '../io.ts';
import type { CommonOptions, HostCommand, ProxyMode } from '../options.ts';
import type { Act, CommandResult } from '../program.ts';

const FORMATS = ['text', 'json', 'junit', 'github'] as const;
type Format = (typeof FORMATS)[number];

interface OutputFile {
  readonly format: Format;
  readonly path: string;
}

interface CheckCommandOptions extends CommonOptions {
  readonly output: Format;
  readonly outputFile?: readonly OutputFile[];
  readonly do?: readonly HostCommand[];
  readonly proxyMode?: ProxyMode;
}

export function addCheckCommand(program: Command, io: Io, act: Act): void {
  withCommonOptions(program.command('check'))
    .summary('run the checks of scenario files')
    .description('Runs every check of a scenario. Exit code 0: all hold; 1: one does not. Several files add up to one cluster.')
    .argument('[FILE...]', 'input')
    .addOption(new Option('-o, --output <format>', 'format on stdout').choices(FORMATS).default('text'))
    .option('--output-file <format=file>', 'write a report to a file as well (repeatable)', outputFile)
    .option("--do <'host: command'>", 'run this command on a host first, as its operator would (repeatable)', hostCommand)
    .option('--proxy-mode <mode>', "kube-proxy's mode in place of the cluster's own", singleProxyMode)
    .addHelpText('after', EXAMPLES)
    .action((files: readonly string[], options: CheckCommandOptions) => act(() => check(files, options, io)));
}

async function check(args: readonly string[], options: CheckCommandOptions, io: Io): Promise<CommandResult> {
  const scenario = await scenarioFrom(fileNames(args, options), io, options.do);
  if (allChecks(scenario).length === 0)
    throw new UsageError('the input has no checks', 'a scenario\'s checks stand under its key "checks"');
  const diagnostics = checkDiagnostics(scenario, options.namespace ?? 'default');
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new InputError(errors);
  tellRefusedCommands(scenario, options);
  io.err(formatDiagnostics(diagnostics, errorStyle(io)));
  const progress = progressOn(io, 'checks');
  const report = runChecks(
    scenario,
    {
      ...(options.namespace !== undefined && { namespace: options.namespace }),
      ...(options.proxyMode !== undefined && { proxyMode: options.proxyMode }),
      commands: options.do ?? [],
      onProgress: progress.step,
      events: [options.output, ...(options.outputFile ?? []).map(({ format }) => format)].includes('json'),
    },
    engine,
  );
  progress.end();
  for (const { format, path } of options.outputFile ?? [])
    writeFileAtomically(path, reportText(report, format, { color: false }, io));
  const stdout = options.output === 'json' ? jsonParts(report) : reportText(report, options.output, options, io);
  return { stdout, exitCode: report.failed === 0 ? EXIT.yes : EXIT.no };
}

/**
 * A command that can't be run is wrong input: no check says anything then.
 * @throws InputError
 */
function tellRefusedCommands({ cluster }: Scenario, options: CheckCommandOptions): void {
  const { proxyMode, do: commands = [] } = options;
  const opened = openLaboratory(cluster, { ...(proxyMode !== undefined && { proxyMode }), commands }, engine);
  if (!opened.ok) throw new InputError(opened.diagnostics);
}

function reportText(report: CheckReport, format: Format, options: CommonOptions, io: Io): string {
  switch (format) {
    case 'text':
      return checkText(report, outputStyle(io, colourChoice(options)));
    case 'json':
      return jsonText(report);
    case 'junit':
      return checkJunit(report);
    case 'github':
      return checkGithub(report);
  }
}

/** @throws InvalidArgumentError */
function outputFile(text: string, before: readonly OutputFile[] | undefined): readonly OutputFile[] {
  const [, word, path] = /^([^=]*)=(.+)$/s.exec(text) ?? [];
  const format = FORMATS.find((known) => known === word);
  if (format === undefined || path === undefined)
    throw new InvalidArgumentError(`expected FORMAT=FILE, FORMAT one of ${FORMATS.join(', ')}`);
  return [...(before ?? []), { format, path }];
}

const EXAMPLES = `
Examples:
  k8snet check scenarios/tutorial.yaml
  k8snet check cluster.yaml -o github --output-file junit=report.xml
  k8snet check cluster.yaml --do 'node-1: iptables -P FORWARD DROP'     do they still hold then?
`;
