import { constants } from 'node:os';
import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../shell/base-command.ts';
import { createClient } from '../../client/client.ts';
import { connectionOf, type DaemonAccess } from '../shell/daemon-access.ts';
import { diskPart, onStage, withThirdParty } from '../demo/stage.ts';
import { tourParts } from '../demo/steps.ts';
import {
  areKept,
  takeTour,
  withoutSecrets,
  type TourPart,
  type PartReport,
  type StepReport,
} from '../demo/tour.ts';
import { demoEndView, partView, stepView } from '../demo/view.ts';
import { EXIT, SIGNAL_EXIT_BASE } from '../shell/exit-codes.ts';

interface Tour {
  readonly ok: boolean;
  /** Whether a signal ended it early. */
  readonly stopped: boolean;
  readonly promises: readonly { readonly promise: string; readonly holds: boolean; readonly ms: number }[];
  readonly steps: readonly StepReport[];
}

export default class Demo extends BaseCommand<Tour> {
  static override summary =
    'Show what kyclone does, on an instance of its own; exit code 1 when a promise does not hold';
  static override examples = [
    '<%= config.bin %> demo',
    '<%= config.bin %> demo --full',
    '<%= config.bin %> demo --json | jq .ok',
  ];
  static override flags = { full: boolean({ summary: 'show each call and its response' }) };

  async run(): Promise<Tour> {
    const { flags } = await this.parse(Demo);
    const parts: PartReport[] = [];
    const report = (part: PartReport) => {
      parts.push(part);
      if (!this.isForPeople) return;
      if (!flags.full) this.print(partView(part, this.style));
      else for (const step of part.steps) this.print(stepView(step, this.style));
    };
    let stoppedBy: NodeJS.Signals | undefined;
    // Further signals change nothing: npx, for example, passes on the Ctrl-C that this process gets, too.
    const stop = (signal: NodeJS.Signals) => void (stoppedBy ??= signal);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    const { root } = this.config;
    const isStopped = () => stoppedBy !== undefined;
    const walk = (access: DaemonAccess, next: readonly TourPart[]) => {
      const client = createClient(connectionOf(access, false));
      const stepsBefore = parts.flatMap(({ steps }) => steps).length;
      return takeTour(next, { client, report, isStopped, stepsBefore });
    };
    const isTrueInMemory = await onStage({ root, storage: 'memory' }, (access) =>
      withThirdParty((party) => walk(access, tourParts(party))),
    );
    const isTrueOnDisk =
      !isStopped() &&
      (await onStage({ root, storage: 'disk' }, (access, folder) => walk(access, [diskPart(folder)])));
    const ok = isTrueInMemory && isTrueOnDisk;
    if (stoppedBy !== undefined) this.endWith(SIGNAL_EXIT_BASE + constants.signals[stoppedBy]);
    else if (!ok) this.endWith(EXIT.failed);
    return this.present(
      {
        ok,
        stopped: isStopped(),
        promises: parts.map(({ promise, ms, steps }) => ({ promise, holds: areKept(steps), ms })),
        steps: parts.flatMap(({ steps }) => steps).map(withoutSecrets),
      },
      demoEndView,
    );
  }
}
