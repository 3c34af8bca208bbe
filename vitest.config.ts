import { defineConfig } from 'vitest/config';

// Two projects, so that only the tests that start the executable build the bundle first.
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: ['test/cli/**'], testTimeout: 20_000 },
      },
      {
        test: {
          name: 'cli',
          include: ['test/cli/**/*.test.ts'],
          globalSetup: ['test/support/build-bundle.ts'],
          testTimeout: 30_000,
        },
      },
    ],
  },
});
