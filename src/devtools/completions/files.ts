import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { completionsOf, type ManifestCommand, type Topics } from './model.ts';
import { COMPLETION_FILES, completionScript, type CompletionShell } from './scripts.ts';

export interface CompletionSources {
  readonly commands: Readonly<Record<string, ManifestCommand>>;
}

/** The files of completions/, for the commands of the manifest and the topics of package.json. */
export function completionFiles(root: string, { commands }: CompletionSources) {
  const { oclif } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    oclif: { topics: Topics };
  };
  const model = completionsOf(Object.values(commands), oclif.topics);
  return Object.entries(COMPLETION_FILES).map(([shell, file]) => ({
    path: `completions/${file}`,
    content: completionScript(shell as CompletionShell, model),
  }));
}
