/** Settings of the running instance, as opposed to those kept for later starts. */
import type { Client } from '../../client/client.ts';
import type { SettingsPatch } from '../../contract/settings.ts';
import type { DaemonAccess } from '../shell/daemon-access.ts';
import { UsageError } from '../shell/failure.ts';
import type { KeptSettingName } from './preferences.ts';

type DaemonSetting = Exclude<KeptSettingName, 'seed'>;

/** Throws UsageError for the one setting that only a start can apply. */
export function requireApplicable(name: KeptSettingName): asserts name is DaemonSetting {
  if (name !== 'seed') return;
  throw new UsageError('--now cannot apply a seed: only a start can', 'kyclone restart --seed TEXT');
}

export async function applySetting(client: Client, name: DaemonSetting, value: string): Promise<void> {
  const { settingFromText } = await import('../../contract/setting-values.ts');
  await merge(client, settingFromText(name, value));
}

export async function applyDefault(client: Client, name: DaemonSetting): Promise<void> {
  const { defaultOf } = await import('../../contract/setting-values.ts');
  await merge(client, defaultOf(name));
}

async function merge(client: Client, patch: SettingsPatch): Promise<void> {
  await client.call('PATCH /_kyclone/settings', { body: patch });
}

/** Whether an instance runs and keeps its present settings. Errors there don't matter here. */
export async function whereItApplies(access: () => Promise<DaemonAccess>): Promise<'running' | 'later'> {
  try {
    await access();
    return 'running';
  } catch {
    return 'later';
  }
}
