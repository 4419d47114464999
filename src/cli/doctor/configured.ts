/** The settings and the project file as `kyclone doctor` looks at them. */
import type { CliEnvironment } from '../shell/environment.ts';
import { judgedSettings, keptMembers, preferencesFile, SETTING_NAMES } from '../config/preferences.ts';
import { judgeProject } from '../project/judge.ts';
import type { Configured } from './checks.ts';

export function configured(environment: CliEnvironment): Configured[] {
  return [
    { name: 'settings', look: () => lookAtSettings(environment) },
    { name: 'project', look: () => lookAtProject(environment) },
  ];
}

async function lookAtSettings({ bases }: CliEnvironment): Promise<string> {
  const settings = await judgedSettings(bases);
  const unknown = Object.keys(keptMembers(bases)).filter(
    (name) => !(SETTING_NAMES as readonly string[]).includes(name),
  );
  const count = Object.keys(settings).length;
  const kept = count === 0 ? 'none is kept' : `${count} kept in ${preferencesFile(bases)}`;
  return unknown.length === 0
    ? kept
    : `${kept}; ${unknown.length} with a name that is not known here is left out: kyclone config unset NAME`;
}

async function lookAtProject(environment: CliEnvironment): Promise<string> {
  const project = await environment.project();
  await judgeProject(project);
  return project === undefined ? 'no project file here' : project.file;
}
