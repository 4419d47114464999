import { made } from '../shell/derived.ts';
import { summarise, summaryView } from '../instance/view.ts';
import { accessInstance, ensureRunning, stopInstance } from '../instance/lifecycle.ts';
import { OPTIONAL_VALUES, startFlags, planStart } from '../instance/start-options.ts';

export default made(
  {
    summary: 'Stop the daemon and start it again in the background',
    description:
      'Port and storage do not change unless a flag changes them; an ephemeral instance starts empty.',
    examples: ['', '--set egress.policy=local'],
    flags: startFlags,
    optionalValues: OPTIONAL_VALUES,
    note: ({ notices }) => notices,
    view: summaryView,
  },
  async ({ flags }, { target: find, environment, config: { root, version }, note }) => {
    const target = await find();
    const before = await accessInstance(target)
      .then(summarise)
      .catch(() => undefined);
    const port = flags.port ?? (before && Number(new URL(before.base_url).port || 80));
    const ephemeral = flags.ephemeral || before?.ephemeral === true;
    const plan = await planStart({ ...flags, port, ephemeral }, target, { root, environment });
    await stopInstance(target, note);
    return await ensureRunning(target, version, plan);
  },
);
