/** The project that a command is called in: what its file says, and the instance that is the project's own. */
import { withoutTrailing } from '../../kernel/trailing.ts';
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { checkProject, type ProjectContent } from './check.ts';
import type { FoundProject } from './find.ts';
import { readProjectFile } from './read.ts';

export interface Project extends FoundProject, ProjectContent {
  readonly instance: string;
}

const LONGEST_BASENAME = 40;
const DIGEST_DIGITS = 8;

/** Throws UsageError for a file that can't be used. */
export async function readProject(found: FoundProject): Promise<Project> {
  const content = checkProject(await readProjectFile(found.file), found);
  return { ...found, ...content, instance: content.instance ?? instanceOfDirectory(found.directory) };
}

/**
 * The instance of a folder: its name for people, and a digest of where it really is, so that two folders of one name
 * have two instances and two ways to one folder have one.
 */
export function instanceOfDirectory(directory: string): string {
  const path = realpathSync(directory);
  const begin = basename(path)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, LONGEST_BASENAME);
  const name = withoutTrailing(begin, '._-');
  const digest = createHash('sha256').update(path).digest('hex').slice(0, DIGEST_DIGITS);
  return `${name || 'project'}-${digest}`;
}
