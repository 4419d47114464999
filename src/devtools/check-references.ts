/**
 * Fails on a reference to a section, document, heading or decision that doesn't exist in the repository (`npm run
 * check`).
 */
import './gone-reader.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anchorsOf, brokenReferences, contractTargets, type Text } from './references.ts';

/** Third-party files, generated files, foreign data, and files about references themselves. */
const NOT_READ =
  /^(?:(?:.+\/)?node_modules|dist(?:-package)?|\.git|completions|test\/snapshots|test\/vectors)(?:\/|$)|^package-lock\.json$|^(?:src|test)\/devtools\/(?:check-)?references/;
const READ = /\.(?:tsx?|jsx?|mjs|cjs|md|json|ya?ml)$|^\.ci\//;

const texts: Text[] = [];
const files = new Map<string, ReadonlySet<string>>();
collect('');
const contract = texts.find(({ path }) => path === 'docs/contract.md');
if (!contract) throw new Error('docs/contract.md is missing');
const problems = brokenReferences(texts, { ...contractTargets(contract.content), files });
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;

function collect(folder: string): void {
  for (const entry of readdirSync(folder || '.', { withFileTypes: true })) {
    const path = join(folder, entry.name).replaceAll('\\', '/');
    files.set(path, new Set());
    if (NOT_READ.test(path)) continue;
    if (entry.isDirectory()) collect(path);
    else if (READ.test(path)) {
      const content = readFileSync(path, 'utf8');
      texts.push({ path, content });
      if (path.endsWith('.md')) files.set(path, anchorsOf(content));
    }
  }
}
