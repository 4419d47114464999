import { defined } from '../../kernel/defined.ts';
import { accessInstance } from '../shell/daemon-access.ts';
import { made } from '../shell/derived.ts';
import { summarise, summaryView } from '../instance/view.ts';
import { ensureRunning, placesOf, requireStartable, stopInstance } from '../instance/lifecycle.ts';
import { OPTIONAL_VALUES, startFlags, planStart } from '../instance/start-options.ts';

export default made(
  {
    summary: 'Stop the daemon and start it again in the background',
    description:
      'Port, storage and the place of the key file do not change unless a flag changes them; an ephemeral instance starts empty.',
    examples: ['', '--set egress.policy=local'],
    flags: startFlags,
    optionalValues: OPTIONAL_VALUES,
    note: ({ notices }) => notices,
    view: summaryView,
  },
  async ({ flags }, { target: find, environment, config: { root, version }, note }) => {
    const target = await find();
    const access = await accessInstance(target).catch(() => undefined);
    const before = access && (await summarise(access).catch(() => undefined));
    const port = flags.port ?? (before && Number(new URL(before.base_url).port || 80));
    const ephemeral = flags.ephemeral || before?.ephemeral === true;
    const places = ephemeral || !access ? {} : await placesOf(access);
    const plan = await planStart({ ...places, ...defined(flags), port, ephemeral }, target, {
      root,
      environment,
    });
    if (access) await requireStartable({ ...flags, ephemeral }, access);
    await stopInstance(target, note);
    return await ensureRunning(target, version, plan);
  },
);
