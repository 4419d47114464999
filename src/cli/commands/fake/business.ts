import { fakeBusiness } from '../../fake/made-up.ts';
import { FakeCommand, fakeFlags } from '../../fake/fake-command.ts';

export default class FakeBusiness extends FakeCommand {
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
