import { expect, test } from 'vitest';
import { UsageError } from '../../../src/cli/shell/failure.ts';
import { settingName, settingOptions } from '../../../src/cli/config/preferences.ts';
import { daemonOptions } from '../../../src/cli/instance/start-options.ts';

const NO_FLAGS = { ephemeral: false, 'allow-remote': false, 'require-keychain': false };

test('daemonOptions: names the instance and nothing that was not asked for', () => {
  expect(daemonOptions(NO_FLAGS, 'default', [])).toEqual(['--instance', 'default']);
});

test('daemonOptions: what was typed comes after what is kept, and wins', () => {
  const flags = { ...NO_FLAGS, port: 0, ephemeral: true, set: ['egress.policy=strict'] };
  const kept = settingOptions({ 'egress.policy': 'local', seed: '42' });
  expect(daemonOptions(flags, 'ci', kept)).toEqual([
    '--instance',
    'ci',
    '--set',
    'egress.policy=local',
    '--seed',
    '42',
    '--ephemeral',
    '--port',
    '0',
    '--set',
    'egress.policy=strict',
  ]);
});

test.each(['egress.policy', '=x', 'egress.polcy=strict'])('daemonOptions: refuses --set %s', (assignment) => {
  expect(() => daemonOptions({ ...NO_FLAGS, set: [assignment] }, 'default', [])).toThrow(UsageError);
});

test('settingName: knows what was meant', () => {
  expect(() => settingName('cors.origin')).toThrow('did you mean cors.origins?');
});
