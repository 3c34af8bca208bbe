import { RuleError } from '../option.ts';
import { formatRange, join, not, rangeOf } from '../value.ts';
import type { GivenOption } from '../option.ts';
import type { NumberRange } from '../value.ts';
import type { MatchModule } from './module.ts';

interface IdRange extends NumberRange {
  readonly negated: boolean;
  readonly text: string;
}

/** Whose socket sent the packet (xt_owner.c owner_mt). Names other than root are refused: k8snet has no user database. */
export const owner: MatchModule = {
  name: 'owner',
  hooks: ['OUTPUT', 'POSTROUTING'],
  options: [
    { name: 'uid-owner', negatable: true },
    { name: 'gid-owner', negatable: true },
    { name: 'socket-exists', args: 0, negatable: true },
    { name: 'suppl-groups', args: 0 },
  ],
  build(given) {
    const uid = idsOf(given.get('uid-owner'));
    const gid = idsOf(given.get('gid-owner'));
    const exists = given.get('socket-exists');
    if (!uid && !gid && !exists)
      throw new RuleError('owner: At least one of --uid-owner, --gid-owner or --socket-exists is required');
    return {
      text: join(
        exists && `${not(exists.negated)}--socket-exists`,
        uid?.text,
        gid?.text,
        given.has('suppl-groups') && '--suppl-groups',
      ),
      test: ({ socket }) => {
        // Without a socket everything asked for must be negated.
        if (socket === null) return [uid, gid, exists].every((option) => !option || option.negated);
        if (exists?.negated) return false;
        return within(uid, socket.uid) && within(gid, socket.gid);
      },
    };
  },
};

function idsOf(option: GivenOption | undefined): IdRange | null {
  if (!option) return null;
  const { negated, name } = option;
  const text = option.values[0]!;
  const range = text === 'root' ? { min: 0, max: 0 } : rangeOf(text, 'owner', name, 0xfffffffe, '-');
  return { ...range, negated, text: `${not(negated)}--${name} ${formatRange(range, '-')}` };
}

function within(ids: IdRange | null, id: number): boolean {
  return ids === null || (id >= ids.min && id <= ids.max) !== ids.negated;
}
