import { UsageError } from '../shell/failure.ts';
import { judge } from '../config/preferences.ts';
import type { Project } from './project.ts';

/** Throws UsageError, with the file, for a setting of a project that the daemon would refuse. */
export async function judgeProject(project: Project | undefined): Promise<void> {
  if (project === undefined) return;
  await judge(project.settings, (_name, why) => new UsageError(`${project.file}: ${why}`));
}
