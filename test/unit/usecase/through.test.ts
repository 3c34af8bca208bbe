import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../../src/trace/outcome.ts';
import { layerContext, withLayers } from '../../../src/usecase/layers.ts';
import { passesThrough } from '../../../src/usecase/through.ts';
import { cluster } from './fixtures.ts';
import { policy, rule, rx, tx } from './events.ts';

const context = layerContext(cluster(), 'pod/default/client');
const outcome: Outcome = {
  probability: 1,
  verdict: 'connected',
  server: null,
  source: null,
  cause: null,
  legs: [],
  reply: [],
  request: withLayers(
    [
      tx('pod/default/client', 'eth0'),
      rule('node/node-1', 'FORWARD filter FLANNEL-FWD 2', '-A FLANNEL-FWD -d 10.244.0.0/16 -j ACCEPT', 'accept'),
    ],
    context,
  ),
  ack: withLayers([rx('pod/shop/web-1', 'eth0'), policy('node/node-2', 'FORWARD')], context),
};

describe('passesThrough', () => {
  test.each([
    ['pod/default/client', true],
    ['pod/client', true],
    ['client', true],
    ['default/client', true],
    ['pod/shop/web-1', true],
    ['shop/web-1', true],
    ['web-1', true],
    ['pod/web-1', false],
    ['node/node-1', true],
    ['node-2', true],
    ['node-3', false],
    ['eth0', true],
    ['client eth0', true],
    ['pod/shop/web-1 eth0', true],
    ['node-1 eth0', false],
    ['FLANNEL-FWD', true],
    ['filter FLANNEL-FWD', true],
    ['nat FLANNEL-FWD', false],
    ['FORWARD', true],
    ['-A FLANNEL-FWD -d 10.244.0.0/16 -j ACCEPT', true],
    ['-d 10.244.0.0/16 -j ACCEPT', true],
    ['ACCEPT', false],
    ['-j DROP', false],
  ])('%s: %s', (place, passes) => {
    expect(passesThrough(outcome, place)).toBe(passes);
  });
});
