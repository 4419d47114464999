import { option, boolean } from '@oclif/core/flags';
import { fakeBusiness, fakeUser, type Body } from '../fake/made-up.ts';
import { asFixture, createAll, makeBodies, type FakeKind, type Maker, type Created } from '../fake/run.ts';
import { BaseCommand } from '../shell/base-command.ts';
import { canRedraw } from '../shell/environment.ts';
import { UsageError } from '../shell/failure.ts';
import { type FlagValues, integerFlag, liveFlag, quietFlag, repeatable, needing } from '../shell/flags.ts';
import { table } from '../shell/layout.ts';
import { printable, type Style } from '../shell/output.ts';

// Shared code of `fake user` and `fake business`. Made-up data is never masked.

function fakesView(bodies: readonly Body[], style: Style): string {
  const isOfPeople = bodies[0]?.['id.ssn9'] !== undefined;
  const headings = isOfPeople
    ? ['NAME', 'BORN', 'SSN', { text: 'PHONE', drop: 1 }, { text: 'CITY', drop: 2 }]
    : ['NAME', 'FOUNDED', 'TIN', { text: 'PHONE', drop: 1 }, { text: 'CITY', drop: 2 }];
  const rows = bodies.map((body) =>
    isOfPeople
      ? [nameOf(body), body['id.dob'], body['id.ssn9'], body['id.phone_number'], cityOf(body, 'id')]
      : [
          nameOf(body),
          body['business.formation_date'],
          body['business.tin'],
          body['business.phone_number'],
          cityOf(body, 'business'),
        ],
  );
  return table(headings, rows, style, 'Nobody');
}

function createdLine({ id, body }: Created, style: Style): string {
  return `${printable(id)}  ${style.dim(printable(nameOf(body)))}`;
}

function nameOf(body: Body): string {
  const names = [body['business.name'], body['id.first_name'], body['id.last_name']];
  return names.filter((name) => typeof name === 'string').join(' ');
}

function cityOf(body: Body, family: string): string {
  return [body[`${family}.city`], body[`${family}.state`]]
    .filter((text) => typeof text === 'string')
    .join(', ');
}

const fakeFlags = {
  count: integerFlag({ summary: 'how many', default: 1, min: 1, max: 100_000, helpValue: 'N' }),
  seed: integerFlag({ summary: 'seed of the data', default: 1, min: 0, max: 2_147_483_647, helpValue: 'N' }),
  create: boolean({ summary: 'create them in the instance', exclusive: ['as-fixture'] }),
  'as-fixture': boolean({ summary: 'print a fixture that creates them' }),
  ...quietFlag,
  live: needing(liveFlag.live, 'create'),
};

type Flags = FlagValues<typeof fakeFlags>;

abstract class FakeCommand extends BaseCommand {
  /** Prints one item after another as data: the body, plus the id if it was created. */
  protected async fake(kind: FakeKind, make: Maker, flags: Flags): Promise<void> {
    this.#check(flags);
    const { count, seed } = flags;
    const bodies = await makeBodies(make, { count, seed });
    if (flags.create) await this.#create(kind, bodies, flags);
    else if (flags['as-fixture']) this.print(await asFixture(kind, bodies, `${count} made-up, seed ${seed}`));
    else if (this.isForPeople) this.print(fakesView(bodies, this.style));
    else for (const body of bodies) this.presentEntry(body, () => '');
  }

  #check({ create, 'as-fixture': asFixture }: Flags): void {
    if (this.isDryRun && !create)
      throw new UsageError('--dry-run needs --create: nothing is sent without it');
    if (asFixture && !this.isForPeople)
      throw new UsageError('--as-fixture prints YAML and excludes --json, --output and --field');
    if (this.wantsIds && !create)
      throw new UsageError('--output id needs --create: without it nothing has an id');
  }

  async #create(kind: FakeKind, bodies: readonly Body[], { quiet }: Flags): Promise<void> {
    const isWatched = !quiet && !process.stdout.isTTY && canRedraw(process.stderr);
    let done = 0;
    try {
      for await (const created of createAll(this.client, kind, bodies)) {
        this.presentEntry({ id: created.id, ...created.body }, () => createdLine(created, this.style));
        done++;
        if (isWatched) process.stderr.write(`\r${done} of ${bodies.length}`);
      }
    } finally {
      if (isWatched && done > 0) process.stderr.write('\n');
      if (done < bodies.length && done > 0) this.note(`${done} of ${bodies.length} were created`);
    }
  }
}

class FakeUser extends FakeCommand {
  static override summary = 'Make up plausible people who do not exist';
  static override description =
    'Their numbers are never issued: SSN-like ones that begin with 9, telephone numbers 555-01xx, mailboxes at ' +
    'example.com. The same seed makes the same people on any day. --json prints one body per line.';
  static override examples = [
    '--count 3 --seed 7',
    '--count 50 --seed 7 --create',
    '--with card --as-fixture > people.yaml',
  ];
  static override flags = {
    ...fakeFlags,
    with: option({ summary: 'additional data', options: ['card'] as const, ...repeatable })(),
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
  static override examples = ['--count 3 --seed 7', '--count 5 --create --json'];
  static override flags = fakeFlags;

  async run(): Promise<void> {
    const { flags } = await this.parse(FakeBusiness);
    await this.fake('business', fakeBusiness, flags);
  }
}

export default { 'fake:user': FakeUser, 'fake:business': FakeBusiness };
