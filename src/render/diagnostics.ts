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

/** More messages than this help nobody: the rest is counted. */
const MAX_SHOWN = 100;

/**
 * `file:line:column: error: message` and, on a line of its own, what may help. Ends with a line break; empty for no messages. Of very many
 * the first are shown, errors before others.
 */
export function formatDiagnostics(diagnostics: readonly DiagnosticText[], style: Style): string {
  return finish([...shown(diagnostics).map((diagnostic) => format(diagnostic, style)), rest(diagnostics)].join(''), style);
}

function shown(diagnostics: readonly DiagnosticText[]): readonly DiagnosticText[] {
  if (diagnostics.length <= MAX_SHOWN) return diagnostics;
  const isError = ({ severity }: DiagnosticText): boolean => severity === 'error';
  return [...diagnostics.filter(isError), ...diagnostics.filter((diagnostic) => !isError(diagnostic))].slice(0, MAX_SHOWN);
}

function rest({ length }: readonly DiagnosticText[]): string {
  return length > MAX_SHOWN ? `k8snet: and ${length - MAX_SHOWN} more messages\n` : '';
}

function format({ severity, message, position, hint }: DiagnosticText, { chalk }: Style): string {
  const colour = { error: chalk.red.bold, warning: chalk.yellow.bold, note: chalk.cyan }[severity];
  const place = position ? `${printable(position.file)}:${position.line}:${position.column}` : 'k8snet';
  const help = hint === undefined ? '' : `  ${chalk.dim('hint:')} ${printable(hint)}\n`;
  return `${chalk.bold(`${place}:`)} ${colour(`${severity}:`)} ${printable(message)}\n${help}`;
}
