import { expect, test } from 'vitest';
import { formatDiagnostics } from '../../../src/render/diagnostics.ts';
import { coloured, plain } from './plain-style.ts';

const position = { file: 'a.yaml', line: 3, column: 7 };

test('place, severity, message, hint', () => {
  expect(
    formatDiagnostics([{ severity: 'error', message: 'unknown key "nods"', position, hint: 'did you mean "nodes"?' }], plain),
  ).toBe('a.yaml:3:7: error: unknown key "nods"\n  hint: did you mean "nodes"?\n');
});

test('without a place the tool itself speaks', () => {
  expect(formatDiagnostics([{ severity: 'warning', message: 'm', position: null }], plain)).toBe('k8snet: warning: m\n');
});

test('nothing to say prints nothing', () => {
  expect(formatDiagnostics([], plain)).toBe('');
});

test('the only escape sequences are its own', () => {
  const text = formatDiagnostics(
    [{ severity: 'note', message: 'x\u001b[2Jy', position: { ...position, file: 'a\u001b.yaml' } }],
    coloured,
  );
  expect(text).toContain('x\\x1b[2Jy');
  expect(text).toContain('a\\x1b.yaml');
});
