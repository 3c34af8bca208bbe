/** Makes a `switch` over a union exhaustive: a new member breaks the build here. */
export function assertNever(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
