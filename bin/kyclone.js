#!/usr/bin/env node
// The way to --version is short on purpose: scripts ask for it, and loading the CLI would take longer than answering.
import { readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

if (process.argv[2] === '--version') {
  const { name, version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
  process.stdout.write(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}\n`);
} else {
  // Node 22 and later keep compiled code between runs.
  nodeModule.enableCompileCache?.();
  const { main } = await import('../dist/cli/main.js');
  await main(process.argv.slice(2), root);
}
