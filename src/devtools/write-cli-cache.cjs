// The build runs this script: it runs the most frequent commands in one process, and stores the code that they
// compile (bin/load-bundle.js).
'use strict';
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { cacheOf, compile, run } = require('../../bin/load-bundle.js');

const root = join(__dirname, '../..');
const FILES = ['dist/cli.cjs', 'dist/cli-frequent.cjs'].map((file) => join(root, file));
const COMMANDS = [
  ['start', '-d', '--ephemeral', '--port', '0', '--json'],
  ['users', 'create', 'id.first_name=Jane', '--external-id', 'jane-doe', '--json'],
  ['vault', 'get', 'jane-doe', 'id.first_name'],
  ['users', 'list'],
  ['stop'],
];

async function writeCache(file) {
  const home = mkdtempSync(join(tmpdir(), 'kyclone-build-'));
  process.env.KYCLONE_HOME = home;
  const script = compile(file);
  const { main } = run(script, file);
  const write = process.stdout.write;
  process.stdout.write = (_text, ...rest) => (rest.at(-1)?.(), true);
  try {
    for (const argv of COMMANDS) {
      await main(argv, root);
      if (process.exitCode !== undefined && process.exitCode !== 0) {
        throw new Error(`kyclone ${argv.slice(0, 2).join(' ')} failed: ${process.exitCode}`);
      }
    }
  } finally {
    process.stdout.write = write;
    rmSync(home, { recursive: true, force: true });
  }
  writeFileSync(cacheOf(file), script.createCachedData(), { mode: 0o644 });
}

async function writeCaches() {
  for (const file of FILES) await writeCache(file);
}

void writeCaches();
