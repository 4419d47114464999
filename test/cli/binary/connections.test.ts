/** The CLI connects to the daemon only: no telemetry, no check for updates. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../../support/cli.ts';
import { ROOT, startDaemon } from '../../support/daemon.ts';

test('connections: commands connect to the daemon alone', async () => {
  await using daemon = await startDaemon();
  const file = join(daemon.home, 'connections');
  const environment = {
    NODE_OPTIONS: `--require ${join(ROOT, 'test', 'support', 'record-connections.cjs')}`,
    RECORDED_CONNECTIONS: file,
  };
  const lines = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);
  for (const argv of [
    ['--help'],
    ['--version'],
    ['users', '--help'],
    ['transform', 'to_uppercase', 'x'],
    ['nothing'],
  ])
    await runCli(argv, { home: daemon.home, environment });
  expect(lines()).toEqual([]);
  for (const argv of [
    ['users', 'create', 'id.first_name=Jane'],
    ['users', 'list', '--output', 'yaml'],
    ['status'],
    ['audit', 'verify'],
    ['webhooks', 'list', '--json'],
    ['doctor'],
  ])
    await runCli(argv, { home: daemon.home, environment });
  expect(lines().length).toBeGreaterThan(0);
  expect(new Set(lines())).toEqual(new Set([new URL(daemon.url).host]));
});
