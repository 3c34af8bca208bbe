// Whole processes side by side: each command in turn, and the ratio of the two pair by pair.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const usage = fileURLToPath(new URL('child-usage.cjs', import.meta.url));

/**
 * Runs a command once. Wall time in milliseconds; of Node processes that are asked for it also CPU milliseconds (user and system)
 * and peak bytes of memory.
 */
export function runOnce({ command, args, input, node = false, codes = [0] }) {
  const start = process.hrtime.bigint();
  const { status, stderr, output, error } = spawnSync(command, node ? ['--require', usage, ...args] : args, {
    input,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 28,
  });
  const wall = Number(process.hrtime.bigint() - start) / 1e6;
  if (error) throw error;
  if (!codes.includes(status)) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`);
  const told = output[3].toString();
  return { wall, ...(told !== '' && JSON.parse(told)) };
}

export const median = (numbers) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/**
 * Runs all commands in turn, `runs` times after one turn that is not counted, so that a busy moment of the machine hits all alike.
 * The first is the yardstick. Gives for each the medians of its figures, and of their ratios to the yardstick's in the same turn.
 */
export function sideBySide(commands, runs) {
  for (const command of commands) runOnce(command);
  const turns = Array.from({ length: runs }, () => commands.map(runOnce));
  return commands.map((command, c) => {
    const figures = Object.keys(turns[0][c]);
    const value = (figure) => median(turns.map((turn) => turn[c][figure]));
    const ratio = (figure) => median(turns.map((turn) => turn[c][figure] / turn[0][figure]));
    return {
      name: command.name,
      ...Object.fromEntries(figures.map((figure) => [figure, value(figure)])),
      ratios: Object.fromEntries(figures.filter((figure) => figure in turns[0][0]).map((figure) => [figure, ratio(figure)])),
    };
  });
}
