/** The files that `kyclone init` writes: a project that runs unchanged and shows the other options. */
import { boolean } from '@oclif/core/flags';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ServiceError } from '../../kernel/errors.ts';
import { placeToWrite } from '../../kernel/files/file-to-write.ts';
import { PROJECT_FILES } from '../../kernel/files/project-folder.ts';
import { made } from '../shell/derived.ts';
import { instanceOfDirectory } from '../project/project.ts';
import { UsageError } from '../shell/failure.ts';
import { facts, table } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';

export const STARTER_CONFIG = `# The initial state of kyclone in this project. Every kyclone command in this folder finds this file; in a
# git repository, in those below, too.
# Flags win over the environment, the environment over this file, this file over \`kyclone config\`.

# The instance's name. Without it: the folder's name and a digest of where it is, so that two copies never conflict.
# instance: my-project

# The port of \`kyclone start\`. Without it: a free one; \`kyclone env\` prints the address.
# port: 4700

# Ids are the same in every run.
seed: "7"

# The clock stands still at this time.
# clock: 2026-01-31T12:00:00Z

# true: all in memory, gone when the daemon ends. false: encrypted on disk.
ephemeral: true

# Calls that an empty instance begins with, as paths from this file; and their variables.
fixtures:
  - fixtures/people.yaml
set:
  FIRST_NAME: Jane

# In the form of \`kyclone start --set\`. A setting that lets more in or out, such as \`egress.policy: open\`, \`hosts\` or
# \`cors.origins\`, needs confirmation before it is applied; without a terminal it needs --trust-project.
settings:
  egress.policy: local
`;

const STARTER_FIXTURE = `# A fixture is a list of API calls. \${jane.id} is a member of the response to step jane, \${set.NAME} a variable.
name: people
vars:
  FIRST_NAME: Jane
steps:
  - id: jane
    call: POST /users
    body:
      id.first_name: "\${set.FIRST_NAME}"
      id.last_name: Doe
      id.dob: "1990-04-12"
      # Begins with 9: a number that nobody has.
      id.ssn9: "900120001"
      id.email: jane.doe@example.com
      id.address_line1: 1 Main Street
      id.city: San Francisco
      id.state: CA
      id.zip: "94105"
      id.country: US
    expect:
      status: 200
  - id: jane_kyc
    call: POST /users/\${jane.id}/kyc
    body:
      key: pb_test_kycdefault000000000000
      fixture_result: pass
    expect:
      status: 200
      body:
        status: pass
outputs:
  JANE_ID: "\${jane.id}"
`;

const CONFIG_FILE = 'kyclone.config.yaml';
const STARTER = [
  [CONFIG_FILE, STARTER_CONFIG],
  ['fixtures/people.yaml', STARTER_FIXTURE],
] as const;

/** Writes all files or none. Returns their names. Throws UsageError. */
export function writeStarter(directory: string, mayReplace: boolean): string[] {
  const another = PROJECT_FILES.find((name) => name !== CONFIG_FILE && existsSync(join(directory, name)));
  if (another !== undefined) {
    throw new UsageError(`${another} is the project file here already; nothing was written`);
  }
  const present = STARTER.map(([name]) => name).filter((name) => existsSync(join(directory, name)));
  if (present.length > 0 && !mayReplace) {
    throw new UsageError(
      `${present.join(' and ')} already exist; nothing was written`,
      'replace them with --force',
    );
  }
  const written: string[] = [];
  for (const [name, text] of STARTER) {
    const file = join(directory, name);
    try {
      mkdirSync(placeToWrite(dirname(file)), { recursive: true });
      // An existing file may be a link, which would lead elsewhere.
      if (mayReplace) rmSync(file, { force: true });
      writeFileSync(file, text, { flag: 'wx' });
    } catch (error) {
      if (!mayReplace) for (const before of written) rmSync(join(directory, before), { force: true });
      if (error instanceof ServiceError) throw new UsageError(error.message);
      throw new UsageError(
        `${name} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'failed'})`,
      );
    }
    written.push(name);
  }
  return written;
}

function initView(made: { files: readonly string[]; instance: string }, style: Style): string {
  const next = [
    ['kyclone exec -- npm test', 'tests with an instance that is deleted afterwards'],
    ['kyclone start -d', 'an instance that stays, with the people of the fixture'],
    ['kyclone users list', 'who they are'],
  ] as const;
  return `${facts({ wrote: made.files, instance: made.instance }, style)}\n\n${table(['NEXT', 'WHAT FOR'], next, style, '')}`;
}

export default made(
  {
    summary: 'Write a project file and a first fixture into this folder',
    description:
      'kyclone.config.yaml sets up the instance of this folder, for all commands in it and below, up to the folder with .git. JSON works too: kyclone.config.json with the same members.',
    examples: ['', '--force --json'],
    flags: { force: boolean({ summary: 'replace existing files' }) },
    view: initView,
  },
  ({ flags }) => {
    const directory = process.cwd();
    const files = writeStarter(directory, flags.force);
    return { directory, files, instance: instanceOfDirectory(directory) };
  },
);
