import { formatDiagnostics } from '../render/diagnostics.ts';
import { loadScenario } from '../scenario/load.ts';
import { separateScenarios } from '../scenario/separate.ts';
import { dumpDiagnostics } from '../usecase/dump-diagnostics.ts';
import { commandsOf, sysctlCommandDiagnostics, sysctlDiagnostics } from '../usecase/sysctl-diagnostics.ts';
import { InputError } from './errors.ts';
import { readInputs, readReferenced, TUTORIAL } from './input.ts';
import { errorStyle } from './terminal.ts';
import type { Diagnostic } from '../scenario/diagnostic.ts';
import type { InputFile, Scenario } from '../scenario/scenario.ts';
import type { Io } from './io.ts';
import type { HostCommand } from './options.ts';

/**
 * Reads and understands the files of a command line; tells warnings and notes on stderr, those of `--do` too.
 * @throws UsageError when a file can't be read, InputError when it can't be understood
 */
export async function scenarioFrom(names: readonly string[], io: Io, commands: readonly HostCommand[] = []): Promise<Scenario> {
  const loaded = load(await readInputs(names, io), commands);
  if (!loaded.ok) throw new InputError(loaded.diagnostics);
  tellNotes(names, loaded.diagnostics, io);
  return loaded.scenario;
}

/**
 * As {@link scenarioFrom}, for files that may hold several scenarios: each has its own checks.
 * @throws UsageError when a file can't be read, InputError with all that is wrong with any of them
 */
export async function scenariosFrom(
  names: readonly string[],
  io: Io,
  commands: readonly HostCommand[] = [],
): Promise<readonly Scenario[]> {
  const loaded = separateScenarios(await readInputs(names, io)).map((files) => load(files, commands));
  const errors = loaded.flatMap((one) => (one.ok ? [] : one.diagnostics));
  if (errors.length > 0) throw new InputError(errors);
  const scenarios = loaded.flatMap((one) => (one.ok ? [one] : []));
  tellNotes(
    names,
    scenarios.flatMap(({ diagnostics }) => diagnostics),
    io,
  );
  return scenarios.map(({ scenario }) => scenario);
}

type Loaded =
  | { readonly ok: true; readonly scenario: Scenario; readonly diagnostics: readonly Diagnostic[] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

function load(files: readonly InputFile[], commands: readonly HostCommand[]): Loaded {
  const result = loadScenario(files, { readFile: readReferenced });
  if (!result.ok) return result;
  const { cluster, steps } = result.scenario;
  const clusters = [cluster, ...steps.map((step) => step.cluster)];
  const added = commands.map(({ host, command }) => ({ host, line: command, position: null }));
  const ofCommands = sysctlCommandDiagnostics([...commandsOf(result.scenario), ...added]);
  const ofHosts = [...dumpDiagnostics(clusters), ...sysctlDiagnostics(clusters), ...ofCommands];
  const errors = ofHosts.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) return { ok: false, diagnostics: errors };
  return { ok: true, scenario: result.scenario, diagnostics: [...result.scenario.diagnostics, ...ofHosts] };
}

function tellNotes(names: readonly string[], diagnostics: readonly Diagnostic[], io: Io): void {
  const style = errorStyle(io);
  if (names.length === 0) {
    io.err(
      formatDiagnostics([{ severity: 'note', message: `no FILE given: this is the bundled ${TUTORIAL}`, position: null }], style),
    );
  }
  io.err(formatDiagnostics(diagnostics, style));
}
