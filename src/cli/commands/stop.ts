import { isListening } from '../../client/discover.ts';
import { stopInstance } from '../instance/lifecycle.ts';
import { requireInstance } from '../shell/daemon-access.ts';
import { made } from '../shell/derived.ts';
import { stopView } from '../instance/view.ts';

export default made(
  {
    summary: 'Stop the daemon; succeeds when none runs',
    description:
      'Where KYCLONE_BASE_URL is set, the instance at that address is meant, unless --instance names one; the instance of kyclone exec ends with its command.',
    examples: ['', '--instance staging'],
    view: stopView,
  },
  async (_, { meant: find, note }) => {
    const meant = await find();
    if (meant.address !== undefined && !meant.instance && !(await isListening(meant.address)))
      return { stopped: false, instance: new URL(meant.address).host };
    const target = requireInstance(meant);
    return { stopped: await stopInstance(target, note), instance: target.name };
  },
);
