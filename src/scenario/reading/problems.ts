import type { SourcePosition } from '../../kubernetes/model/cluster.ts';
import type { Diagnostic } from '../diagnostic.ts';

/** Of one kind of warning this many are told one by one; the rest is counted. */
const MAX_OF_A_CODE = 20;

/** Collects everything that is wrong with an input, so that all of it is told at once. */
export class Problems {
  readonly #diagnostics: Diagnostic[] = [];
  readonly #counts = new Map<string, number>();
  #errors = 0;

  error(code: string, message: string, position: SourcePosition | null, hint?: string): void {
    this.#errors++;
    this.#add('error', code, message, position, hint);
  }

  warning(code: string, message: string, position: SourcePosition | null, hint?: string): void {
    this.#add('warning', code, message, position, hint);
  }

  note(code: string, message: string, position: SourcePosition | null = null): void {
    this.#add('note', code, message, position, undefined);
  }

  get hasErrors(): boolean {
    return this.#errors > 0;
  }

  /** Errors alone: what is suspicious may come of them. */
  errors(): readonly Diagnostic[] {
    return this.diagnostics().filter((d) => d.severity === 'error');
  }

  /** Takes over those errors of others that `keeps` says yes to. */
  addErrors(others: Problems, keeps: (error: Diagnostic) => boolean): void {
    for (const error of others.errors()) {
      if (error.position !== null && keeps(error)) this.error(error.code, error.message, error.position, error.hint);
    }
  }

  /** Everything; errors first, then warnings, then notes, each in the order of the text, what has no place in it last. */
  diagnostics(): readonly Diagnostic[] {
    const more: Diagnostic[] = [];
    for (const [key, count] of this.#counts) {
      const severity = key.startsWith('error') ? 'error' : key.startsWith('warning') ? 'warning' : 'note';
      const code = key.slice(severity.length + 1);
      if (count > MAX_OF_A_CODE)
        more.push({ severity, code, message: `${count - MAX_OF_A_CODE} more of the same kind`, position: null });
    }
    const all = [...inOrderOfText(this.#diagnostics), ...more];
    return (['error', 'warning', 'note'] as const).flatMap((severity) => all.filter((d) => d.severity === severity));
  }

  #add(severity: Diagnostic['severity'], code: string, message: string, position: SourcePosition | null, hint?: string): void {
    const key = `${severity} ${code}`;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    if (count > MAX_OF_A_CODE) return;
    this.#diagnostics.push({ severity, code, message, position, ...(hint === undefined ? {} : { hint }) });
  }
}

/** Files in the order in which something was found in them. */
function inOrderOfText(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const files = new Map<string, number>();
  for (const { position } of diagnostics)
    if (position !== null && !files.has(position.file)) files.set(position.file, files.size);
  const rank = ({ position }: Diagnostic): readonly [number, number, number] =>
    position === null ? [files.size, 0, 0] : [files.get(position.file) ?? 0, position.line, position.column];
  return [...diagnostics].sort((a, b) => {
    const [x, y] = [rank(a), rank(b)];
    return x[0] - y[0] || x[1] - y[1] || x[2] - y[2];
  });
}
