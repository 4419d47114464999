import { BaseCommand } from '../base-command.ts';
import { runChecks, type Check } from '../doctor/checks.ts';
import { EXIT } from '../exit-codes.ts';
import { doctorView } from '../views/doctor.ts';

interface Diagnosis {
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

export default class Doctor extends BaseCommand<Diagnosis> {
  static override summary = 'Check what kyclone needs on this machine; exit code 1 when something fails';
  static override examples = ['<%= config.bin %> doctor', '<%= config.bin %> doctor --json'];

  async run(): Promise<Diagnosis> {
    await this.parse(Doctor);
    const { hasKeychainBus } = this.environment;
    const checks = await runChecks({
      paths: (await this.target).paths,
      root: this.config.root,
      hasKeychainBus,
    });
    const isWell = checks.every(({ outcome }) => outcome !== 'fail');
    if (!isWell) this.endWith(EXIT.failed);
    return this.present({ ok: isWell, checks }, doctorView);
  }
}
