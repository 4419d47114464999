import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';
import { PATIENCE_MS } from './test/support/patience.ts';
import { testTiers, type TestFiles } from './test/tiers.ts';

const ALL = ['test/**/*.test.ts', 'test/**/*.test.tsx'];
const { binary, all } = testTiers(import.meta.dirname);

// More at a time than there are cores: these tests wait for processes and for deadlines.
const AFTERWARDS = { maxWorkers: 5, sequence: { groupOrder: 1 } };

/** A project whose files share processes, and one whose files don't. */
function projects(name: string, { sharing, alone }: TestFiles): TestProjectInlineConfiguration[] {
  return [
    { extends: true, test: { name, include: [...sharing], isolate: false, ...AFTERWARDS } },
    {
      extends: true,
      test: { name: `${name}-alone`, include: [...alone], env: { NODE_ENV: 'production' }, ...AFTERWARDS },
    },
  ];
}

export default defineConfig({
  // React as it is shipped, with NODE_ENV below: its production build has no development runtime for JSX.
  oxc: { jsx: { runtime: 'automatic', development: false } },
  test: {
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    setupFiles: ['test/support/bytes-equal.ts'],
    // These end what hangs. No test depends on how fast the machine is.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: PATIENCE_MS } },
    restoreMocks: true,
    // What was built is run as it is, by Node.
    server: { deps: { external: [/\/dist\//] } },
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          sequence: { groupOrder: 0 },
          maxWorkers: 3,
          include: ALL,
          exclude: [binary, all].flatMap(({ sharing, alone }) => [...sharing, ...alone]),
          // The sources are evaluated once a worker, not once a file: a test leaves no trace in them.
          isolate: false,
          // Whoever draws first decides for all of a worker whether there are colours.
          env: { NODE_ENV: 'production', FORCE_COLOR: '1' },
        },
      },
      ...projects('binary', binary),
      ...projects('all', all),
    ],
  },
});
