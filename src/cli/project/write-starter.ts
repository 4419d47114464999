import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../shell/failure.ts';
import { PROJECT_FILES } from './find.ts';
import { STARTER_CONFIG, STARTER_FIXTURE } from './starter.ts';

const CONFIG_FILE = 'kyclone.config.yaml';
const STARTER = [
  [CONFIG_FILE, STARTER_CONFIG],
  ['fixtures/people.yaml', STARTER_FIXTURE],
] as const;

/** Answers the names of what was written: all of it, or nothing. Throws UsageError. */
export function writeStarter(directory: string, mayReplace: boolean): string[] {
  const another = PROJECT_FILES.find((name) => name !== CONFIG_FILE && existsSync(join(directory, name)));
  if (another !== undefined) {
    throw new UsageError(`${another} is the project file here already; nothing was written`);
  }
  const present = STARTER.map(([name]) => name).filter((name) => existsSync(join(directory, name)));
  if (present.length > 0 && !mayReplace) {
    throw new UsageError(
      `${present.join(' and ')}: there already; nothing was written`,
      '--force replaces it',
    );
  }
  const written: string[] = [];
  for (const [name, text] of STARTER) {
    const file = join(directory, name);
    try {
      mkdirSync(dirname(file), { recursive: true });
      // What is replaced may be a link, which would lead elsewhere.
      if (mayReplace) rmSync(file, { force: true });
      writeFileSync(file, text, { flag: 'wx' });
    } catch (error) {
      if (!mayReplace) for (const before of written) rmSync(join(directory, before), { force: true });
      throw new UsageError(
        `${name} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'failed'})`,
      );
    }
    written.push(name);
  }
  return written;
}
