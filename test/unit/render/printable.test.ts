import { describe, expect, test } from 'vitest';
import { printable, printableDeep, printableJson, printableLines } from '../../../src/render/printable.ts';

describe('printable', () => {
  test.each([
    ['an escape sequence', '\u001b[31mred', '\\x1b[31mred'],
    ['a line break', 'a\nb\r', 'a\\x0ab\\x0d'],
    ['a C1 control', '\u009b31m', '\\x9b31m'],
    ['a bidirectional override', 'a\u202eb', 'a\\u202eb'],
    ['a zero-width space', 'a\u200bb', 'a\\u200bb'],
    ['a lone surrogate', '\ud800x', '\\ud800x'],
    ['honest text', 'web → 10.0.0.1 äöü 漢字 😀', 'web → 10.0.0.1 äöü 漢字 😀'],
  ])('%s', (_, text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  test('reaches every string of a value, and keys', () => {
    expect(printableDeep({ 'a\n': ['\u0007', { b: null, c: 1, d: true }] })).toEqual({
      'a\\x0a': ['\\x07', { b: null, c: 1, d: true }],
    });
  });

  test('lines keep their breaks and the tabs that indent them', () => {
    expect(printableLines('\t\ta\tb\n\tc\u001b')).toBe('\t\ta\\x09b\n\tc\\x1b');
  });

  test('JSON keeps the data and is safe to print', () => {
    const value = { name: 'a\u001b\u009b\u202e"\n' };
    const text = printableJson(JSON.stringify(value, null, 2));
    expect(text).toBe('{\n  "name": "a\\u001b\\u009b\\u202e\\"\\n"\n}');
    expect(JSON.parse(text)).toEqual(value);
  });
});
