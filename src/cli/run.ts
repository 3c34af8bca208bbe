import { CommanderError } from 'commander';
import { formatDiagnostics } from '../render/diagnostics.ts';
import { printable } from '../render/printable.ts';
import { InputError, UsageError } from './errors.ts';
import { EXIT } from './io.ts';
import { buildProgram } from './program.ts';
import { errorStyle } from './terminal.ts';
import type { ExitCode, Io } from './io.ts';

/** Runs one command line (without the node and script words) and says the exit code. Never throws. */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.yes;
  try {
    const program = buildProgram(
      io,
      (code) => {
        exitCode = code;
      },
      argv[0],
    );
    // The bare name is a question for help.
    await program.parseAsync(argv.length === 0 ? ['--help'] : argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    return report(error, io);
  }
}

/** Tells what went wrong on stderr. */
function report(error: unknown, io: Io): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.yes : EXIT.usage;
  const style = errorStyle(io);
  if (error instanceof UsageError) {
    io.err(
      formatDiagnostics(
        [{ severity: 'error', message: error.message, position: null, ...(error.hint && { hint: error.hint }) }],
        style,
      ),
    );
    return EXIT.usage;
  }
  if (error instanceof InputError) {
    io.err(formatDiagnostics(error.diagnostics, style));
    return EXIT.usage;
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  io.err(`k8snet: internal error: ${printable(message)}\n`);
  if (io.env.K8SNET_DEBUG && error instanceof Error) io.err(`${error.stack ?? ''}\n`);
  else
    io.err(
      'This is a fault of k8snet, not of your input. Please report it with the input; K8SNET_DEBUG=1 shows where it happened.\n',
    );
  return EXIT.fault;
}
