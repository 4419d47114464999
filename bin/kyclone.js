#!/usr/bin/env node
// The way to --version is short on purpose: scripts ask for it, and loading the CLI would take longer than answering.
import { readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

// Node's own answer to this signal is a debugger, which would read the keys that a command holds.
process.on('SIGUSR1', () => undefined);

const root = dirname(dirname(fileURLToPath(import.meta.url)));

if (process.argv[2] === '--version') {
  const { name, version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
  process.stdout.write(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}\n`);
} else {
  // Node 22 and later keep compiled code between runs.
  nodeModule.enableCompileCache?.();
  const argv = process.argv.slice(2);
  let main;
  try {
    const cli = await import('../dist/cli/main.js');
    cli.reportCrash(argv);
    ({ main } = cli);
  } catch (error) {
    const why =
      error.code === 'EMFILE'
        ? 'too many files are open (EMFILE); ulimit -n 1024 raises the limit'
        : error.code;
    process.stderr.write(`Error: kyclone cannot be loaded from ${root}: ${why ?? error.name}\n`);
    process.exitCode = 1;
  }
  await main?.(argv, root);
}
