import { describe, expect, test } from 'vitest';
import { nearest } from '../../../src/support/nearest.ts';

describe('nearest', () => {
  test.each([
    ['clent', ['server', 'client'], 'client'],
    ['Pod', ['pods', 'node'], 'pods'],
    ['wbe-1', ['web-1', 'web-2'], 'web-1'],
    ['exetrnal', ['node', 'external'], 'external'],
    ['database', ['web', 'cache'], null],
    ['a', [], null],
  ])('%s among %j is %s', (text, candidates, expected) => {
    expect(nearest(text, candidates)).toBe(expected);
  });
});
