'use strict';

/** What `run` of src/cli/main.ts is given to work without a word. */
exports.quietIo = (packageRoot) => ({
  out: () => {},
  err: () => {},
  stdoutIsTerminal: false,
  stderrIsTerminal: false,
  columns: undefined,
  env: {},
  readStdin: async () => '',
  packageRoot,
});
