import type { DiagnosticText } from '../render/diagnostics.ts';

/** The command line is wrong: told as one line with a hint, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** The input is wrong: every diagnostic is told, exit code 2. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly diagnostics: readonly DiagnosticText[];

  constructor(diagnostics: readonly DiagnosticText[]) {
    super(diagnostics.map((d) => d.message).join('\n'));
    this.diagnostics = diagnostics;
  }
}
