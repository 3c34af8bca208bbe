import { describe, expect, test } from 'vitest';
import { outputStyle } from '../../../src/cli/terminal.ts';
import type { Io } from '../../../src/cli/io.ts';

function io(over: Partial<Io>): Io {
  return {
    out: () => {},
    err: () => {},
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    columns: undefined,
    env: {},
    readStdin: async () => '',
    packageRoot: '/nowhere',
    ...over,
  };
}

describe('colour', () => {
  test.each([
    ['a pipe', {}, undefined, 0],
    ['a terminal', { stdoutIsTerminal: true }, undefined, 1],
    ['a dumb terminal', { stdoutIsTerminal: true, env: { TERM: 'dumb' } }, undefined, 0],
    ['NO_COLOR', { stdoutIsTerminal: true, env: { NO_COLOR: '1' } }, undefined, 0],
    ['an empty NO_COLOR counts for nothing', { stdoutIsTerminal: true, env: { NO_COLOR: '' } }, undefined, 1],
    ['FORCE_COLOR', { env: { FORCE_COLOR: '1' } }, undefined, 1],
    ['an empty FORCE_COLOR forces', { env: { FORCE_COLOR: '' } }, undefined, 1],
    ['FORCE_COLOR=0', { stdoutIsTerminal: true, env: { FORCE_COLOR: '0' } }, undefined, 0],
    ['NO_COLOR beats FORCE_COLOR', { env: { NO_COLOR: '1', FORCE_COLOR: '1' } }, undefined, 0],
    ['the flag beats NO_COLOR', { env: { NO_COLOR: '1' } }, 'always', 1],
    ['the flag beats FORCE_COLOR', { stdoutIsTerminal: true, env: { FORCE_COLOR: '1' } }, 'never', 0],
  ] as const)('%s', (_, over, flag, level) => {
    expect(outputStyle(io(over), flag).chalk.level).toBe(level);
  });
});

describe('width', () => {
  test.each([
    ['a pipe', {}, 140],
    ['a terminal', { stdoutIsTerminal: true, columns: 99 }, 99],
    ['COLUMNS', { stdoutIsTerminal: true, columns: 99, env: { COLUMNS: '77' } }, 77],
    ['COLUMNS that is no number', { env: { COLUMNS: 'wide' } }, 140],
    ['too narrow for anything', { env: { COLUMNS: '3' } }, 40],
  ])('%s', (_, over, width) => {
    expect(outputStyle(io(over), undefined).width).toBe(width);
  });
});

describe('character set', () => {
  test.each([
    [{}, false],
    [{ LANG: 'C' }, true],
    [{ LANG: 'POSIX' }, true],
    [{ LANG: 'en_US.UTF-8' }, false],
    [{ LANG: 'C.utf8' }, false],
    [{ LANG: 'en_US.UTF-8', LC_ALL: 'C' }, true],
    [{ LANG: 'C', LC_CTYPE: 'de_DE.UTF-8' }, false],
    [{ LANG: 'de_DE.ISO-8859-1' }, true],
  ])('%o', (env, ascii) => {
    expect(outputStyle(io({ env }), undefined).ascii).toBe(ascii);
  });
});
