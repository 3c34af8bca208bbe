import { InvalidArgumentError, Option } from 'commander';
import { checkGithub } from '../../render/check/github.ts';
import { checkJunit } from '../../render/check/junit.ts';
import { checkText } from '../../render/check/text.ts';
import { formatDiagnostics } from '../../render/diagnostics.ts';
import type { DiagnosticText } from '../../render/diagnostics.ts';
import { jsonParts, jsonText } from '../../render/json.ts';
import { invariant } from '../../support/invariant.ts';
import { checkDiagnostics } from '../../usecase/check-diagnostics.ts';
import { runChecks } from '../../usecase/check.ts';
import { engine } from '../../usecase/engine.ts';
import { allChecks } from '../../usecase/find-check.ts';
import { openLaboratory } from '../../usecase/laboratory.ts';
import { InputError, UsageError } from '../errors.ts';
import { EXIT } from '../io.ts';
import { colourChoice, fileNames, hostCommand, singleProxyMode, withCommonOptions } from '../options.ts';
import { progressOn } from '../progress.ts';
import { scenariosFrom } from '../scenario-input.ts';
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
    .description(
      'Runs every check of a scenario. Exit code 0: all hold; 1: one does not. Several files add up to one cluster, unless two or more have nodes and checks of their own: then each of those is a scenario by itself, with the other files added.',
    )
    .argument('[FILE...]', 'input')
    .addOption(new Option('-o, --output <format>', 'format on stdout').choices(FORMATS).default('text'))
    .option('--output-file <format=file>', 'write a report to a file as well (repeatable)', outputFile)
    .option("--do <'host: command'>", 'run this command on a host first, as its operator would (repeatable)', hostCommand)
    .option('--proxy-mode <mode>', "kube-proxy's mode in place of the cluster's own and the checks'", singleProxyMode)
    .addHelpText('after', EXAMPLES)
    .action((files: readonly string[], options: CheckCommandOptions) => act(() => check(files, options, io)));
}

async function check(args: readonly string[], options: CheckCommandOptions, io: Io): Promise<CommandResult> {
  const scenarios = await scenariosFrom(fileNames(args, options), io, options.do);
  const total = scenarios.reduce((sum, scenario) => sum + allChecks(scenario).length, 0);
  if (total === 0) throw new UsageError('the input has no checks', 'a scenario\'s checks stand under its key "checks"');
  const diagnostics = scenarios.flatMap((scenario) => checkDiagnostics(scenario, options.namespace ?? 'default'));
  const refused = scenarios.flatMap((scenario) => refusedCommands(scenario, options));
  const errors = [...diagnostics.filter(({ severity }) => severity === 'error'), ...refused];
  if (errors.length > 0) throw new InputError(errors);
  io.err(formatDiagnostics(diagnostics, errorStyle(io)));
  const progress = progressOn(io, 'checks');
  const settings = {
    ...(options.namespace !== undefined && { namespace: options.namespace }),
    ...(options.proxyMode !== undefined && { proxyMode: options.proxyMode }),
    commands: options.do ?? [],
    events: [options.output, ...(options.outputFile ?? []).map(({ format }) => format)].includes('json'),
  };
  let done = 0;
  const reports = scenarios.map((scenario) => {
    const before = done;
    done += allChecks(scenario).length;
    return runChecks(scenario, { ...settings, onProgress: (made) => progress.step(before + made, total) }, engine);
  });
  const report = together(reports);
  progress.end();
  for (const { format, path } of options.outputFile ?? [])
    writeFileAtomically(path, reportText(report, format, { color: false }, io));
  const stdout = options.output === 'json' ? jsonParts(report) : reportText(report, options.output, options, io);
  return { stdout, exitCode: report.failed === 0 ? EXIT.yes : EXIT.no };
}

/** A command that can't be run is wrong input: no check says anything then. */
function refusedCommands({ cluster }: Scenario, options: CheckCommandOptions): readonly DiagnosticText[] {
  const { proxyMode, do: commands = [] } = options;
  const opened = openLaboratory(cluster, { ...(proxyMode !== undefined && { proxyMode }), commands }, engine);
  return opened.ok ? [] : opened.diagnostics;
}

/** The reports of several scenarios as one; there is at least one. */
function together(reports: readonly CheckReport[]): CheckReport {
  const [first] = reports;
  invariant(first !== undefined, 'there is a scenario');
  const sum = (of: 'passed' | 'failed'): number => reports.reduce((all, report) => all + report[of], 0);
  return { ...first, passed: sum('passed'), failed: sum('failed'), checks: reports.flatMap(({ checks }) => checks) };
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
