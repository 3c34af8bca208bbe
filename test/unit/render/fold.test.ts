import { expect, test } from 'vitest';
import { folded } from '../../../src/render/text/fold.ts';
import type { Line } from '../../../src/render/text/line.ts';

/** "host place text", one line each. */
function lines(...texts: readonly string[]): readonly Line[] {
  return texts.map((text, event) => {
    const [host = '', place = '', ...rest] = text.split(' ');
    return { event, layer: 'L0', host, place, columns: [rest.join(' ')], tone: 'plain' };
  });
}

const show = (all: readonly Line[]) => all.map(({ host, place, columns }) => `${host} ${place} ${columns.join(' ')}`);
const round = (port: number) => [`a eth0 receives 10.0.0.1:${port}`, 'a route to b', 'b eth0 receives', 'b route to a'];

test('a packet that goes round is shown once round', () => {
  const told = folded(lines('c socket sends', ...[1, 20, 300, 4000].flatMap(round), 'a drop TTL'));
  expect(show(told)).toEqual(['c socket sends', ...round(1), 'a … the same 2 hops again, 3 times', 'a drop TTL']);
});

test('what comes again only once, or changes, is shown in full', () => {
  for (const all of [
    lines(...round(1), ...round(2)),
    lines('a eth0 x', 'a eth0 x', 'a eth0 x', 'a eth0 x', 'a eth0 x').slice(0, 5),
    lines('a route to 10.0.0.1', 'b route x', 'a route to 10.0.0.2', 'b route x', 'a route to 10.0.0.3', 'b route x'),
  ]) {
    expect(folded(all)).toEqual(all);
  }
});

test('the rest of a last round stands behind', () => {
  const told = folded(lines(...[1, 2, 3].flatMap(round), ...round(4).slice(0, 2)));
  expect(show(told).slice(4)).toEqual(['a … the same 2 hops again, 2 times', 'a eth0 receives 10.0.0.1:4', 'a route to b']);
});
