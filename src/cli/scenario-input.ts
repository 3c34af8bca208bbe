import { formatDiagnostics } from '../render/diagnostics.ts';
import { loadScenario } from '../scenario/load.ts';
import { dumpDiagnostics } from '../usecase/dump-diagnostics.ts';
import { commandsOf, sysctlCommandDiagnostics, sysctlDiagnostics } from '../usecase/sysctl-diagnostics.ts';
import { InputError } from './errors.ts';
import { readInputs, readReferenced, TUTORIAL } from './input.ts';
import { errorStyle } from './terminal.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Io } from './io.ts';
import type { HostCommand } from './options.ts';

/**
 * Reads and understands the files of a command line; tells warnings and notes on stderr, those of `--do` too.
 * @throws UsageError when a file can't be read, InputError when it can't be understood
 */
export async function scenarioFrom(names: readonly string[], io: Io, commands: readonly HostCommand[] = []): Promise<Scenario> {
  const result = loadScenario(await readInputs(names, io), { readFile: readReferenced });
  if (!result.ok) throw new InputError(result.diagnostics);
  const { cluster, steps } = result.scenario;
  const clusters = [cluster, ...steps.map((step) => step.cluster)];
  const added = commands.map(({ host, command }) => ({ host, line: command, position: null }));
  const ofCommands = sysctlCommandDiagnostics([...commandsOf(result.scenario), ...added]);
  const ofHosts = [...dumpDiagnostics(clusters), ...sysctlDiagnostics(clusters), ...ofCommands];
  const errors = ofHosts.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new InputError(errors);
  const style = errorStyle(io);
  if (names.length === 0) {
    io.err(
      formatDiagnostics([{ severity: 'note', message: `no FILE given: this is the bundled ${TUTORIAL}`, position: null }], style),
    );
  }
  io.err(formatDiagnostics([...result.scenario.diagnostics, ...ofHosts], style));
  return result.scenario;
}
