import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from './support/temp-dir.ts';
import { testTiers } from './tiers.ts';

test('testTiers: what starts a process, itself or through a helper in test/, and what reaches the mark of the whole run', () => {
  using folder = tempDir();
  const files = {
    'src/starting.ts': "import { spawn } from 'node:child_process';",
    'test/support/starting.ts': "import { spawn } from 'node:child_process';\nexport const start = spawn;",
    'test/support/between.tsx': "export { start } from './starting.ts';",
    'test/kernel/plain.test.ts': "import { test } from 'vitest';",
    'test/kernel/of-sources.test.ts': "import { spawnIt } from '../../src/starting.ts';",
    'test/kernel/itself.test.ts': "import { Worker } from 'node:worker_threads';",
    'test/kernel/late.test.ts': "const { chromium } = await import('playwright-core');",
    'test/tui/through.test.tsx': "import { start } from '../support/between.tsx';",
    'test/support/tier-all.ts': 'export {};',
    'test/support/own-process.ts': 'export {};',
    'test/support/streams.ts': "import './own-process.ts';",
    'test/cli/streams.test.ts': "import '../support/tier-all.ts';\nimport '../support/streams.ts';",
    'test/cli/fast-streams.test.ts': "import '../support/streams.ts';",
    'test/http/waiting.test.ts': "import '../support/tier-all.ts';",
    'test/support/disk.ts': "import './tier-all.ts';",
    'test/e2e/full-disk.test.ts': "import '../support/starting.ts';\nimport '../support/disk.ts';",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder.path, dirname(path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  }

  expect(testTiers(folder.path)).toEqual({
    binary: { sharing: ['test/kernel/itself.test.ts', 'test/tui/through.test.tsx'], alone: [] },
    all: {
      sharing: ['test/e2e/full-disk.test.ts', 'test/http/waiting.test.ts', 'test/kernel/late.test.ts'],
      alone: ['test/cli/streams.test.ts'],
    },
  });
});
