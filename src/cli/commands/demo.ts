import { constants } from 'node:os';
import { BaseCommand } from '../shell/base-command.ts';
import { createClient } from '../../client/client.ts';
import { connectionOf, type DaemonAccess } from '../shell/daemon-access.ts';
import { diskSteps, onStage, withThirdParty } from '../demo/stage.ts';
import { tourSteps } from '../demo/steps.ts';
import {
  takeTour,
  withoutSecrets,
  type TourStep,
  type StepReport,
  demoEndView,
  stepView,
} from '../demo/tour.ts';
import { EXIT, SIGNAL_EXIT_BASE } from '../shell/exit-codes.ts';

interface Tour {
  readonly ok: boolean;
  readonly steps: readonly StepReport[];
}

export default class Demo extends BaseCommand<Tour> {
  static override summary =
    'Show a guided tour on an instance of its own; exit code 1 when a claim does not hold';
  static override examples = ['<%= config.bin %> demo', '<%= config.bin %> demo --json | jq .ok'];

  async run(): Promise<Tour> {
    await this.parse(Demo);
    const steps: StepReport[] = [];
    const report = (step: StepReport) => {
      steps.push(withoutSecrets(step));
      if (this.isForPeople) this.print(stepView(step, this.style));
    };
    let cancelledBy: NodeJS.Signals | undefined;
    const cancel = (signal: NodeJS.Signals) => void (cancelledBy = signal);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, cancel);
    const { root } = this.config;
    const isCancelled = () => cancelledBy !== undefined;
    const walk = (access: DaemonAccess, part: readonly TourStep[]) => {
      const client = createClient(connectionOf(access, false));
      return takeTour(part, { client, report, isCancelled, stepsBefore: steps.length });
    };
    const isTrueInMemory = await onStage({ root, storage: 'memory' }, (access) =>
      withThirdParty((party) => walk(access, tourSteps(party))),
    );
    const isTrueOnDisk =
      !isCancelled() &&
      (await onStage({ root, storage: 'disk' }, (access, folder) => walk(access, diskSteps(folder))));
    const ok = isTrueInMemory && isTrueOnDisk;
    if (cancelledBy !== undefined) this.endWith(SIGNAL_EXIT_BASE + constants.signals[cancelledBy]);
    else if (!ok) this.endWith(EXIT.failed);
    return this.present({ ok, steps }, (tour, style) => demoEndView(tour.ok, tour.steps.length, style));
  }
}
