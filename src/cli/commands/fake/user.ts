import { option } from '@oclif/core/flags';
import { FakeCommand, fakeFlags } from '../../fake/fake-command.ts';
import { fakeUser } from '../../fake/people.ts';

export default class FakeUser extends FakeCommand {
  static override summary = 'Make people up who are plausible and cannot be anybody';
  static override description =
    'Their numbers are given to nobody: SSN-like ones that begin with 9, telephone numbers 555-01xx, mailboxes at ' +
    'example.com. The same seed makes the same people on any day. --json prints a body a line.';
  static override examples = [
    '<%= config.bin %> fake user --count 3 --seed 7',
    '<%= config.bin %> fake user --count 50 --seed 7 --create',
    '<%= config.bin %> fake user --with card --as-fixture > people.yaml',
  ];
  static override flags = {
    ...fakeFlags,
    with: option({
      summary: 'what else they have',
      options: ['card'] as const,
      multiple: true,
      multipleNonGreedy: true,
    })(),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(FakeUser);
    const withCard = flags.with?.includes('card') ?? false;
    await this.fake('user', (faker, which) => fakeUser(faker, which, { withCard }), flags);
  }
}
