import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Option } from 'commander';
import { jsonText } from '../../render/json.ts';
import { labReportText } from '../../render/lab-report.ts';
import { printableLines } from '../../render/printable.ts';
import { engine } from '../../usecase/engine.ts';
import { findCheck } from '../../usecase/find-check.ts';
import { labReport, planCampaigns } from '../../usecase/lab/campaign.ts';
import { LabError } from '../../usecase/lab/lab-error.ts';
import { labName } from '../../usecase/lab/names.ts';
import { planLab } from '../../usecase/lab/plan-lab.ts';
import { openLaboratory } from '../../usecase/laboratory.ts';
import { InputError, UsageError } from '../errors.ts';
import { EXIT } from '../io.ts';
import { labNamespaces, labs, removeLab, requireLabMachine, runScript } from '../lab/machine.ts';
import { runCampaigns } from '../lab/session.ts';
import { colourChoice, fileNames, hostCommand, singleProxyMode, withCommonOptions } from '../options.ts';
import { scenarioFrom } from '../scenario-input.ts';
import { outputStyle } from '../terminal.ts';
import type { Command } from 'commander';
import type { Scenario } from '../../scenario/scenario.ts';
import type { LabPlan } from '../../usecase/lab/plan-lab.ts';
import type { Io } from '../io.ts';
import type { CommonOptions, HostCommand, ProxyMode } from '../options.ts';
import type { Act, CommandResult } from '../program.ts';

interface LabOptions extends CommonOptions {
  readonly do?: readonly HostCommand[];
}

interface VerifyOptions extends LabOptions {
  readonly check?: string;
  readonly proxyMode?: ProxyMode;
  readonly output: 'text' | 'json';
}

const BUILD_TOOLS = ['ip', 'bridge', 'sysctl', 'iptables-restore'];
const VERIFY_TOOLS = [...BUILD_TOOLS, 'nft', 'python3'];

export function addLabCommand(program: Command, io: Io, act: Act): void {
  const lab = program
    .command('lab')
    .summary("build the cluster from network namespaces and compare with the kernel's own doing")
    .description(
      'Builds a scenario on this machine from network namespaces, one for each node, pod, external host and the network between them, with\n' +
        'the devices, routes and rules of a real cluster. Needs Linux; all but `script` need root. Nothing else on the machine is changed.',
    );
  subcommand(lab, 'script', 'print the shell script that builds the lab').action(
    (files: readonly string[], options: LabOptions) =>
      act(async () => {
        const { script } = await plan(files, options, io);
        // A shell needs every character as it is, a terminal must not act on them.
        return { stdout: io.stdoutIsTerminal ? printableLines(script) : script, exitCode: EXIT.yes };
      }),
  );
  subcommand(lab, 'up', 'build the lab and leave it').action((files: readonly string[], options: LabOptions) =>
    act(() => up(files, options, io)),
  );
  subcommand(
    lab,
    'verify',
    'send the checks through a lab of their own and compare what the kernel does with the simulation; exit code 1: they differ',
  )
    .option('--check <name|n>', "only the scenario's check of this name or number")
    .option('--proxy-mode <mode>', "kube-proxy's mode in place of the cluster's own and the checks'", singleProxyMode)
    .addOption(new Option('-o, --output <format>', 'format').choices(['text', 'json']).default('text'))
    .action((files: readonly string[], options: VerifyOptions) => act(() => verify(files, options, io)));
  withCommonOptions(lab.command('down'))
    .summary('remove the lab of these files, every process in it included')
    .argument('[FILE...]', 'input')
    .option('--all', 'remove all labs of this machine')
    .action((files: readonly string[], options: CommonOptions & { readonly all?: boolean }) =>
      act(async () => down(fileNames(files, options), options.all === true)),
    );
}

function subcommand(lab: Command, name: string, summary: string): Command {
  return withCommonOptions(lab.command(name))
    .summary(summary)
    .argument('[FILE...]', 'input')
    .option("--do <'host: command'>", 'run this command on a host as well, as its operator would (repeatable)', hostCommand);
}

async function plan(args: readonly string[], options: LabOptions, io: Io): Promise<LabPlan> {
  const names = fileNames(args, options);
  const scenario = await scenarioFrom(names, io, options.do);
  return withLabErrors(() => {
    const opened = openLaboratory(scenario.cluster, { commands: options.do ?? [] }, engine);
    if (!opened.ok) throw new InputError(opened.diagnostics);
    return planLab(opened.laboratory.cluster, {
      name: nameOf(names),
      coldNeighbours: false,
      listeners: true,
      unhealthy: opened.laboratory.health.unhealthy,
    });
  });
}

async function up(args: readonly string[], options: LabOptions, io: Io): Promise<CommandResult> {
  const planned = await plan(args, options, io);
  requireLabMachine(BUILD_TOOLS);
  if (labNamespaces(planned.name).length > 0)
    throw new UsageError(`lab ${planned.name} is up already`, 'k8snet lab down removes it');
  const stop = (): void => {
    removeLab(planned.name);
    process.exit(EXIT.usage);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop).once('SIGHUP', stop);
  try {
    await runScript(planned.name, planned.script);
  } catch (error) {
    removeLab(planned.name);
    throw error;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop).off('SIGHUP', stop);
  }
  return {
    stdout: `${planned.hosts.map(({ host, netns }) => `${host.padEnd(32)} ip netns exec ${netns} bash`).join('\n')}\n`,
    exitCode: EXIT.yes,
  };
}

function down(names: readonly string[], all: boolean): CommandResult {
  requireLabMachine(['ip']);
  // `verify` puts the number of its process behind the name.
  const name = nameOf(names);
  const wanted = labs().filter((lab) => all || lab.startsWith(name));
  const removed = wanted.reduce((sum, lab) => sum + removeLab(lab), 0);
  return { stdout: `${removed} namespace${removed === 1 ? '' : 's'} removed\n`, exitCode: EXIT.yes };
}

async function verify(args: readonly string[], options: VerifyOptions, io: Io): Promise<CommandResult> {
  const names = fileNames(args, options);
  const scenario = await scenarioFrom(names, io, options.do);
  requireLabMachine(VERIFY_TOOLS);
  const checks = chosenChecks(scenario, options.check);
  const lab = `${nameOf(names)}p${process.pid}`;
  const asked = {
    lab,
    namespace: options.namespace ?? 'default',
    commands: options.do ?? [],
    ...(options.proxyMode !== undefined && { proxyMode: options.proxyMode }),
  };
  const { campaigns, refused } = withLabErrors(() => planCampaigns(scenario, checks, asked, engine));
  const results = [...refused, ...(await runCampaigns(campaigns, io.packageRoot))];
  const report = labReport(kernelRelease(), checks, results);
  return {
    stdout: options.output === 'json' ? jsonText(report) : labReportText(report, outputStyle(io, colourChoice(options))),
    exitCode: report.differing === 0 ? EXIT.yes : EXIT.no,
  };
}

function chosenChecks({ checks }: Scenario, wanted: string | undefined): Scenario['checks'] {
  if (wanted === undefined) {
    if (checks.length === 0) throw new UsageError('the input has no checks', 'a scenario\'s checks stand under its key "checks"');
    return checks;
  }
  const found = findCheck(checks, wanted);
  if (!found.ok) throw new UsageError(found.message);
  return [found.value];
}

/** A lab is named after where its files are, so that `down` finds it even when they have changed since. */
function nameOf(files: readonly string[]): string {
  const hash = createHash('sha1');
  for (const file of files) hash.update(`${file === '-' ? '-' : resolve(file)}\n`);
  return labName(hash.digest('hex'));
}

function kernelRelease(): string {
  return readFileSync('/proc/sys/kernel/osrelease', 'utf8').trim();
}

function withLabErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof LabError) throw new UsageError(error.message);
    throw error;
  }
}
