import { directionsOf } from '../match/set.ts';
import { RuleError, wordOf } from '../option.ts';
import { join, numberOf } from '../value.ts';
import type { GivenOption, GivenOptions } from '../option.ts';
import type { TargetModule } from './module.ts';
import type { TargetAction } from './target.ts';

/** Adds the packet to a set or takes it out (xt_set.c set_target_v3). Several changes in one rule and --map-set are not modelled. */
export const setTarget: TargetModule = {
  name: 'SET',
  options: [
    { name: 'add-set', args: 2 },
    { name: 'del-set', args: 2 },
    { name: 'map-set', args: 2 },
    { name: 'exist', args: 0 },
    { name: 'timeout' },
    { name: 'map-mark', args: 0 },
    { name: 'map-prio', args: 0 },
    { name: 'map-queue', args: 0 },
  ],
  build(given) {
    const changes = ['add-set', 'del-set', 'map-set'].flatMap((name) => given.get(name) ?? []);
    if (changes.length === 0) throw new RuleError("You must specify either `--add-set' or `--del-set' or `--map-set'");
    const exist = given.has('exist');
    const text = (option: GivenOption | undefined) =>
      option && `--${option.name} ${option.values[0]} ${directionsOf(option.values[1]!).join(',')}`;
    return {
      text: join(
        text(given.get('add-set')),
        exist && '--exist',
        given.has('timeout') && `--timeout ${numberOf(wordOf(given, 'timeout'), 'SET', 'timeout')}`,
        text(given.get('del-set')),
        text(given.get('map-set')),
        ...['map-mark', 'map-prio', 'map-queue'].map((name) => given.has(name) && `--${name}`),
      ),
      action: changes.length > 1 || given.has('map-set') ? { kind: 'unknown', name: 'SET' } : change(given, changes[0]!, exist),
    };
  },
};

function change(given: GivenOptions, option: GivenOption, exist: boolean): TargetAction {
  const [set, directions] = option.values as [string, string];
  return {
    kind: given.has('add-set') ? 'set-add' : 'set-del',
    set,
    directions: directionsOf(directions),
    exist,
  };
}
