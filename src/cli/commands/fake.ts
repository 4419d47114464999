import { option } from '@oclif/core/flags';
import { FakeCommand, fakeFlags } from '../fake/fake-command.ts';
import { fakeBusiness, fakeUser } from '../fake/made-up.ts';

class FakeUser extends FakeCommand {
  static override summary = 'Make up plausible people who do not exist';
  static override description =
    'Their numbers are never issued: SSN-like ones that begin with 9, telephone numbers 555-01xx, mailboxes at ' +
    'example.com. The same seed makes the same people on any day. --json prints one body per line.';
  static override examples = [
    '<%= config.bin %> fake user --count 3 --seed 7',
    '<%= config.bin %> fake user --count 50 --seed 7 --create',
    '<%= config.bin %> fake user --with card --as-fixture > people.yaml',
  ];
  static override flags = {
    ...fakeFlags,
    with: option({
      summary: 'additional data',
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

class FakeBusiness extends FakeCommand {
  static override summary = 'Make up plausible companies that do not exist';
  static override description =
    'Their tax numbers begin with a prefix that is never issued, their telephones are 555-01xx, their sites at ' +
    'example.com. The same seed makes the same ones on any day. --json prints one body per line.';
  static override examples = [
    '<%= config.bin %> fake business --count 3 --seed 7',
    '<%= config.bin %> fake business --count 5 --create --json',
  ];
  static override flags = fakeFlags;

  async run(): Promise<void> {
    const { flags } = await this.parse(FakeBusiness);
    await this.fake('business', fakeBusiness, flags);
  }
}

export default { 'fake:user': FakeUser, 'fake:business': FakeBusiness };
