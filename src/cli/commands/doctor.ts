import { resolve } from 'node:path';
import { boolean, string } from '@oclif/core/flags';
import { BaseCommand } from '../shell/base-command.ts';
import { configured, runChecks, doctorView } from '../doctor/checks.ts';
import type { Check } from '../doctor/state.ts';
import { EXIT } from '../shell/exit-codes.ts';

interface Diagnosis {
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

export default class Doctor extends BaseCommand<Diagnosis> {
  static override summary = 'Check what kyclone needs on this machine; exit code 1 when something fails';
  static override examples = [
    '<%= config.bin %> doctor',
    '<%= config.bin %> doctor --deep',
    '<%= config.bin %> doctor --deep --data-dir ./vault',
    '<%= config.bin %> doctor --json',
  ];
  static override flags = {
    deep: boolean({
      summary: 'also check every page of the store, on a copy that temporarily needs as much space',
    }),
    'data-dir': string({
      summary: 'look at the store in this folder, of a daemon started with --data-dir that has stopped',
      helpValue: 'DIR',
    }),
  };

  async run(): Promise<Diagnosis> {
    const { flags } = await this.parse(Doctor);
    const { hasKeychainBus } = this.environment;
    const checks = await runChecks({
      target: () => this.target,
      dataDirectory: flags['data-dir'] === undefined ? undefined : resolve(flags['data-dir']),
      configured: configured(this.environment),
      root: this.config.root,
      hasKeychainBus,
      ...(flags.deep && {
        deep: { root: this.config.root, onProgress: this.#progress() },
      }),
    });
    const isWell = checks.every(({ outcome }) => outcome !== 'fail');
    if (!isWell) this.endWith(EXIT.failed);
    return this.present({ ok: isWell, checks }, doctorView);
  }

  /** Reports the progress of the store check, one line per step. */
  #progress() {
    let last = -1;
    return (checked: number, steps: number) => {
      if (checked === last) return;
      last = checked;
      this.note(steps === 0 ? 'Copying the store' : `Checking the store: ${checked} of ${steps}`);
    };
  }
}
