/** The project file of the current folder; kernel/files/project-folder.ts defines where it is searched. */
import { join } from 'node:path';
import { projectFilesIn, projectFolder } from '../../kernel/files/project-folder.ts';
import { UsageError } from '../shell/failure.ts';

export interface FoundProject {
  readonly directory: string;
  readonly file: string;
}

/** Throws UsageError if a folder contains two project files. */
export function findProjectFile(directory: string): FoundProject | undefined {
  const folder = projectFolder(directory);
  if (folder === undefined) return undefined;
  const [name = '', ...others] = projectFilesIn(folder);
  if (others.length > 0) {
    throw new UsageError(`${[name, ...others].join(' and ')} are both in ${folder}; keep one of them`);
  }
  return { directory: folder, file: join(folder, name) };
}
