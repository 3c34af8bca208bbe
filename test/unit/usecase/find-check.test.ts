import { describe, expect, test } from 'vitest';
import type { Check } from '../../../src/kubernetes/model/check.ts';
import { findCheck } from '../../../src/usecase/find-check.ts';
import { probe } from './fixtures.ts';

const checks = ['pod to service', '2', 'pod to pod'].map(
  (name): Check => ({ ...probe('pod/client', 'svc/web'), name, before: [], coldNeighbours: false, expect: {}, position: null }),
);

describe('findCheck', () => {
  test.each([
    ['pod to service', 'pod to service'],
    ['1', 'pod to service'],
    ['2', '2'],
    ['3', 'pod to pod'],
    ['4', 'no check 4; there are 3'],
    ['pod to servise', 'no check "pod to servise"; did you mean pod to service?'],
    ['x', 'no check "x"; there is pod to service, 2, pod to pod'],
  ])('%s', (text, expected) => {
    const check = findCheck(checks, text);
    expect(check.ok ? check.value.name : check.message).toBe(expected);
  });
});
