import { defineConfig } from 'vitest/config';

// Only the tests that start the executable build the bundle first; those that build network namespaces do so one after the other.
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: ['test/cli/**', 'test/kernel/**'], testTimeout: 90_000 },
      },
      {
        test: {
          name: 'cli',
          include: ['test/cli/**/*.test.ts'],
          globalSetup: ['test/support/build-bundle.ts'],
          testTimeout: 90_000,
        },
      },
      {
        test: {
          name: 'kernel',
          include: ['test/kernel/**/*.test.ts'],
          globalSetup: ['test/support/build-bundle.ts'],
          fileParallelism: false,
          testTimeout: 240_000,
        },
      },
    ],
  },
});
