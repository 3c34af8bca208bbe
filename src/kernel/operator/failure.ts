import { notModelled, refused } from './result.ts';
import type { OperatorResult } from './result.ts';

/** Thrown inside the operator commands to leave a command line at once; {@link attempt} makes a result of it. */
class CommandFailure extends Error {
  readonly result: OperatorResult;

  constructor(result: OperatorResult, message: string) {
    super(message);
    this.result = result;
  }
}

/** Ends the command as Linux would: `message` is what the program prints. */
export function refuse(message: string): never {
  throw new CommandFailure(refused(message), message);
}

/** Ends the command because k8snet does not model what it asks for. */
export function unmodelled(what: string): never {
  const message = `${what} is not modelled`;
  throw new CommandFailure(notModelled(message), message);
}

/** Netlink's answer to a refused request, as iproute2 prints it. */
export const ANSWER = {
  EEXIST: 'RTNETLINK answers: File exists',
  ENOENT: 'RTNETLINK answers: No such file or directory',
  ESRCH: 'RTNETLINK answers: No such process',
  ENODEV: 'RTNETLINK answers: No such device',
  EINVAL: 'RTNETLINK answers: Invalid argument',
  EOPNOTSUPP: 'RTNETLINK answers: Operation not supported',
} as const;

/** Runs a command that may end early. */
export function attempt(run: () => OperatorResult): OperatorResult {
  try {
    return run();
  } catch (error) {
    if (error instanceof CommandFailure) return error.result;
    throw error;
  }
}
