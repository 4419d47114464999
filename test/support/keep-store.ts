/**
 * Keeps the store of a version before its release (docs/testing.md). Run `npm run
 * store:keep`, or `npm run store:keep -- FOLDER NAME` for another built package.
 */
import '../../src/devtools/gone-reader.ts';
import { resolve } from 'node:path';
import { ROOT } from './daemon.ts';
import { keepStore } from './kept-store.ts';
import { tempDir } from './temp-dir.ts';

const [folder = ROOT, name] = process.argv.slice(2);
using home = tempDir();
process.stdout.write(`${await keepStore(resolve(folder), home.path, name)}\n`);
