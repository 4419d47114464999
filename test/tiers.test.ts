import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from './support/temp-dir.ts';
import { slowTests } from './tiers.ts';

test('slowTests: what starts a process, itself or through a helper in test/, what is marked, and all of test/e2e', () => {
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
    'test/support/slow-tier.ts': 'export {};',
    'test/support/own-process.ts': 'export {};',
    'test/support/streams.ts': "import './own-process.ts';",
    'test/cli/streams.test.ts': "import '../support/slow-tier.ts';\nimport '../support/streams.ts';",
    'test/cli/fast-streams.test.ts': "import '../support/streams.ts';",
    'test/http/waiting.test.ts': "import '../support/slow-tier.ts';",
    'test/e2e/plain.test.ts': "import { test } from 'vitest';",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder.path, dirname(path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  }

  expect(slowTests(folder.path)).toEqual({
    sharing: [
      'test/e2e/plain.test.ts',
      'test/http/waiting.test.ts',
      'test/kernel/itself.test.ts',
      'test/kernel/late.test.ts',
      'test/tui/through.test.tsx',
    ],
    alone: ['test/cli/streams.test.ts'],
  });
});
