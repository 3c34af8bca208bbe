import { TCP_FLAG } from '../../../../net/packet.ts';
import { exactlyOne } from '../option.ts';
import { not, numberOf } from '../value.ts';
import { joinRuleWords } from '../words.ts';
import type { MatchContext } from '../context.ts';
import type { MatchModule } from './module.ts';

/**
 * Control group of the sending process (xt_cgroup.c): never holds without a full socket, which a SYN-ACK has not (sk_fullsock). A process is in no class of net_cls unless somebody
 * puts it there, which is class 0; which group of the second version it is in can't be told.
 */
export const cgroup: MatchModule = {
  name: 'cgroup',
  hooks: ['INPUT', 'OUTPUT', 'POSTROUTING'],
  options: [
    { name: 'path', negatable: true },
    { name: 'cgroup', negatable: true },
  ],
  build(given) {
    const { name, values, negated } = exactlyOne(
      given,
      'cgroup',
      ['path', 'cgroup'],
      'cgroup: either --path or --cgroup must be specified',
    );
    if (name === 'path')
      return {
        text: `${not(negated)}--path ${joinRuleWords(values)}`,
        test: (context) => (hasFullSocket(context) ? 'unknown' : false),
      };
    const wanted = numberOf(values[0]!, 'cgroup', 'cgroup');
    return { text: `${not(negated)}--cgroup ${wanted}`, test: (context) => hasFullSocket(context) && (wanted === 0) !== negated };
  },
};

function hasFullSocket({ socket, packet: { l4 } }: MatchContext): boolean {
  const both = TCP_FLAG.SYN | TCP_FLAG.ACK;
  return socket !== null && !(l4.protocol === 'tcp' && (l4.flags & both) === both);
}
