import { printable } from './printable.ts';
import { finish } from './style.ts';
import type { Style } from './style.ts';

/** A message about the input or the command line. */
export interface DiagnosticText {
  readonly severity: 'error' | 'warning' | 'note';
  readonly message: string;
  /** null: no place in a file; `k8snet` stands in its place. */
  readonly position: { readonly file: string; readonly line: number; readonly column: number } | null;
  readonly hint?: string;
}

/** `file:line:column: error: message` and, on a line of its own, what may help. Ends with a line break; empty for no messages. */
export function formatDiagnostics(diagnostics: readonly DiagnosticText[], style: Style): string {
  return finish(diagnostics.map((diagnostic) => format(diagnostic, style)).join(''), style);
}

function format({ severity, message, position, hint }: DiagnosticText, { chalk }: Style): string {
  const colour = { error: chalk.red.bold, warning: chalk.yellow.bold, note: chalk.cyan }[severity];
  const place = position ? `${printable(position.file)}:${position.line}:${position.column}` : 'k8snet';
  const help = hint === undefined ? '' : `  ${chalk.dim('hint:')} ${printable(hint)}\n`;
  return `${chalk.bold(`${place}:`)} ${colour(`${severity}:`)} ${printable(message)}\n${help}`;
}
