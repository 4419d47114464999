import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { boolean, string } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import { fixtureText, toFixture } from './to-fixture.ts';
import { needing } from '../../../cli/shell/flags.ts';
import { derived, made } from '../../../cli/shell/derived.ts';
import { chooseTarget } from '../../../cli/shell/files.ts';
import { facts, members } from '../../../cli/shell/layout.ts';
import type { Style } from '../../../cli/shell/output.ts';

interface RecordedFixture {
  /** Null for stdout. */
  readonly file: string | null;
  readonly steps: number;
  readonly left_out: number;
  readonly variables: readonly string[];
}

function recordingView(recording: AnswerOf<'GET /_kyclone/recording'>, style: Style): string {
  return facts(members(recording, { is_recording: ['recording'], started_at: ['since'] }), style);
}

function recordedFixtureView({ file, steps, left_out, variables }: RecordedFixture, style: Style): string {
  // The fixture is on stdout.
  if (file === null) return '';
  return facts(
    { file, steps, 'left out': left_out, ...(variables.length > 0 && { 'needs values for': variables }) },
    style,
  );
}

export default {
  'record:start': derived('POST /_kyclone/recording', {
    summary: 'Start recording calls with their values, in the memory of the daemon',
    description:
      'Records calls of every client until kyclone record stop; 1,000 calls or 64 MiB at most. Files and proxied calls are ' +
      'left out, as are reset, snapshots, the keyring, and the query of a call but for tenant, environment and dry_run: it may name a person.',
    examples: ['', '--json'],
    view: recordingView,
  }),
  'record:status': derived('GET /_kyclone/recording', {
    summary: 'Show whether calls are being recorded, and how many',
    examples: ['', '--json'],
    view: recordingView,
  }),
  'record:stop': made(
    {
      summary: 'End the recording, and make a fixture of it',
      description:
        'Ids and tokens from a response become references, statuses become expectations. A file that ends in .json ' +
        'is JSON, any other YAML. The recording is deleted afterwards.',
      examples: [
        '--out signup.yaml',
        'Without values written into vaults, which must then be given with --set:\n--mask --out signup.yaml',
      ],
      flags: {
        out: string({ summary: 'the file to write; - for stdout even on a terminal', helpValue: 'FILE' }),
        force: needing(boolean({ summary: 'replace an existing file' }), 'out'),
        mask: boolean({ summary: 'turn vault values into variables, which must be given for a run' }),
      },
      view: recordedFixtureView,
      next: ({ left_out: count }, { flags: { mask } }) => [
        ...(mask
          ? []
          : [
              'It contains the data that was sent, including vault values; --mask turns these into variables',
            ]),
        ...(count > 0 ? [`${count} calls are left out: a fixture cannot contain them`] : []),
      ],
    },
    async ({ flags: { out, force: mayReplace, mask: isMasked } }, { client, isForPeople, isDryRun }) => {
      const target = chooseTarget({ out, mayReplace, isData: !isForPeople && !isDryRun });
      // The recording ends only if its fixture can be written.
      const { recorded } = await target.fill(async () => {
        const ended = await client.call('DELETE /_kyclone/recording');
        const name = `recorded ${ended.started_at ?? ''}`.trim();
        const { fixture, variables } = toFixture(ended.recorded, { name, isMasked });
        const isJson = target.path !== undefined && extname(target.path).toLowerCase() === '.json';
        const content = Readable.from([Buffer.from(fixtureText(fixture, isJson ? 'json' : 'yaml'))]);
        const { left_out } = ended;
        const recorded = { file: target.path ?? null, steps: fixture.steps.length, left_out, variables };
        return { content, recorded };
      });
      return recorded;
    },
  ),
};
