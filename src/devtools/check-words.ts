/** Fails on words that the project doesn't use, and on a glossary that doesn't list them all (`npm run check`). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bannedWords, missingRows } from './words.ts';

const ROOTS = ['bin', 'src', 'test', 'docs', '.github', 'README.md', 'CHANGELOG.md'];
const READ = /\.(?:[cm]?[jt]s|tsx|md)$/;
/** Generated files, foreign data, and files about the words themselves. */
const NOT_READ = /^test\/(?:snapshots|vectors)$|^(?:src|test)\/devtools\/(?:check-)?words(?:\.test)?\.ts$/;

const GLOSSARY = 'docs/glossary.md';
const HEADING = "## Words that we don't use";

/** Skips the glossary's table, which contains the banned words. */
function withoutTable(path: string, content: string): string {
  return path === GLOSSARY ? content.slice(0, content.indexOf(HEADING)) : content;
}

const problems = [
  ...ROOTS.flatMap(pathsIn).flatMap((path) =>
    bannedWords({ path, content: withoutTable(path, readFileSync(path, 'utf8')) }),
  ),
  ...missingRows(readFileSync(GLOSSARY, 'utf8')).map((row) => `${GLOSSARY}: the table lacks ${row}`),
];
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;

function pathsIn(path: string): string[] {
  if (NOT_READ.test(path)) return [];
  if (READ.test(path)) return [path];
  if (path.includes('.') && !path.startsWith('.')) return [];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const inside = join(path, entry.name).replaceAll('\\', '/');
    return entry.isDirectory() || READ.test(entry.name) ? pathsIn(inside) : [];
  });
}
