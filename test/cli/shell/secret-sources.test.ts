/** Threat A7: a secret need not be on a command line, where every process of the machine can read it. */
import { describe, expect, test } from 'vitest';
import { headerTexts } from '../../../src/cli/shell/fields.ts';
import { refusal, runInProcess } from '../../support/cli-in-process.ts';
import { builtCommands, ROOT } from '../../support/root.ts';
import { useDaemon } from '../../support/use-shared.ts';

const commands = builtCommands();

const SECRET_WORDS = /key|token|pass(?:word|phrase)|secret|header|credential|^data$|^body$|^fields$/;
/** The keys of playbooks are names, not secrets. */
const isPublic = (command: string, name: string) =>
  command.startsWith('playbooks:') && /^(?:--)?key$/.test(name);

const taken = Object.entries(commands).flatMap(([command, { flags, args }]) =>
  [
    ...Object.entries(flags)
      .filter(([, { type }]) => type === 'option')
      .map(([name, input]) => [`--${name}`, name, input] as const),
    ...Object.entries(args).map(([name, input]) => [name, name, input] as const),
  ]
    .filter(([shown, name]) => SECRET_WORDS.test(name) && !isPublic(command, shown))
    .map(([shown, , input]) => ({ command, shown, input })),
);

const CONFIG = ['--target', 'https://localhost'];
const CIP = ['fp_id_0', '--approver', 'Ann', '--account', 'a', '--hostname', 'https://localhost'];

/** Command lines that read the named file, which is missing. `users search` takes no name that sounds like a secret. */
const COMMAND_LINES: Readonly<Record<string, readonly string[]>> = {
  'api --data': ['POST', '/users', '--data', '@absent'],
  'api --header': ['GET', '/users', '-H', '@absent'],
  'businesses:create fields': ['business.tin=@absent'],
  'businesses:create --data': ['--data', '@absent'],
  'compare:record --remote-key': ['--remote', 'https://localhost', '--out', 'x', '--remote-key', '@absent'],
  'compare:run --remote-key': ['--remote', 'https://localhost', '--remote-key', '@absent'],
  'exec --api-key-file': ['--api-key-file', 'absent', '--', 'true'],
  'keyring:slots:create --passphrase': ['passphrase', '--passphrase', '@absent'],
  'onboardings:start fields': ['id.ssn9=@absent'],
  'onboardings:start --data': ['--data', '@absent'],
  'onboardings:complete fields': ['obtok_0', 'id.ssn9=@absent'],
  'onboardings:complete token': ['@absent'],
  'onboardings:complete --data': ['obtok_0', '--data', '@absent'],
  'onboardings:validate token': ['@absent'],
  'proxy:configs:create --client-key': [...CONFIG, '--client-key', 'absent', '--client-cert', 'absent'],
  'proxy:configs:create --header': [...CONFIG, '-H', '@absent'],
  'proxy:configs:create --secret-header': [...CONFIG, '--secret-header', '@absent'],
  'proxy:configs:update --client-key': ['proxy_id_0', '--client-key', 'absent', '--client-cert', 'absent'],
  'proxy:configs:update --header': ['proxy_id_0', '-H', '@absent'],
  'proxy:configs:update --secret-header': ['proxy_id_0', '--secret-header', '@absent'],
  'proxy:render --client-key': ['--target', 'https://localhost', '--client-key', 'absent'],
  'proxy:render --data': ['--target', 'https://localhost', '--data', '@absent'],
  'proxy:render --header': ['--target', 'https://localhost', '-H', '@absent'],
  'proxy:send --client-key': ['--target', 'https://localhost', '--client-key', 'absent'],
  'proxy:send --data': ['--target', 'https://localhost', '--data', '@absent'],
  'proxy:send --header': ['--target', 'https://localhost', '-H', '@absent'],
  'restart --api-key-file': ['--api-key-file', 'absent'],
  'restart --key-file': ['--key-file', 'absent'],
  'start --api-key-file': ['--api-key-file', 'absent'],
  'start --key-file': ['--key-file', 'absent'],
  'users:cip --api-key': [...CIP, '--api-key', '@absent', '--api-secret', '@absent'],
  'users:cip --api-secret': [...CIP, '--api-key', '-', '--api-secret', '@absent'],
  'users:create fields': ['id.ssn9=@absent'],
  'users:create --data': ['--data', '@absent'],
  'vault:download --token': ['--token', '@absent'],
  'vault:integrity --signing-key': ['fp_id_0', 'id.ssn9', '--signing-key', '@absent'],
  'vault:set fields': ['fp_id_0', 'id.ssn9=@absent'],
  'vault:set --data': ['fp_id_0', '--data', '@absent'],
  'vault:validate fields': ['fp_id_0', 'id.ssn9=@absent'],
  'vault:validate --data': ['fp_id_0', '--data', '@absent'],
  'webhooks:create --secret': ['http://127.0.0.1:1', '--secret', '@absent'],
  'webhooks:listen --secret': ['--forward-to', 'http://127.0.0.1:1', '--secret', '@absent'],
  'webhooks:verify --body': ['--secret', 'whsec_AAAA', '--body', '@absent'],
  'webhooks:verify --header': ['--secret', 'whsec_AAAA', '-H', '@absent', '--body', '{}'],
  'webhooks:verify --headers': ['--secret', 'whsec_AAAA', '--headers', '@absent', '--body', '{}'],
  'webhooks:verify --secret': ['--secret', '@absent', '--body', '{}'],
  'businesses:search text': ['@absent'],
  'users:search text': ['@absent'],
};
/** These name a file that the daemon reads or creates. Tests of starts cover them. */
const FILES_OF_THE_DAEMON = /^(?:start|restart|exec) --(?:api-)?key-file$/;

const all = [
  ...taken.map((each) => [`${each.command} ${each.shown}`, each.input] as const),
  ...['users:search', 'businesses:search'].map(
    (id) => [`${id} text`, commands[id]?.args['text'] ?? {}] as const,
  ),
];

describe('secrets: each place of a command line that takes one', () => {
  const daemon = useDaemon();

  test('secrets: those of the manifest, and no other, are tried', () => {
    expect(all.map(([name]) => name).sort()).toEqual(Object.keys(COMMAND_LINES).sort());
  });

  test.each(all)('%s: its help says from where else it comes', (_, { summary, description, helpValue }) => {
    const help = [summary, description, helpValue].join(' ');
    expect(help).toMatch(/@?FILE\b/);
    if (helpValue !== 'FILE') expect(help).toMatch(/stdin/);
  });

  test.each(Object.entries(COMMAND_LINES).filter(([name]) => !FILES_OF_THE_DAEMON.test(name)))(
    '%s: reads a file',
    async (name, argv) => {
      const command = name.split(' ')[0]?.split(':') ?? [];
      const ran = await runInProcess([...command, ...argv], { home: daemon().home });
      expect([ran.code, ran.stdout]).toEqual([2, '']);
      expect(ran.stderr).toMatch(/cannot be read: .*\(ENOENT\)/);
    },
  );
});

test('headerTexts: a text, the lines of a file and those of stdin, in their order', async () => {
  const texts = await headerTexts(['x-a: @b', '@one', '@-'], {
    file: (path) => `GET / HTTP/1.1\r\nx-from: ${path}\r\n\r\n> authorization: Basic YQ==\n`,
    stdin: () => Promise.resolve('x-piped: 1\n'),
  });
  expect(texts).toEqual(['x-a: @b', 'x-from: one', 'authorization: Basic YQ==', 'x-piped: 1']);
});

const environment = { KYCLONE_BASE_URL: 'http://127.0.0.1:1', KYCLONE_SECRET_KEY: 'sk_test_AAAA' };

test.each([
  ['api', ['POST', '/users', '-H', '@-', '--data', '-']],
  ['proxy send', ['--target', 'https://localhost', '-H', '@-', '--data', '-']],
  ['webhooks verify', ['--secret', 'whsec_AAAA', '-H', '@-']],
  ['users verify', ['fp_id_0a1b2c3d4e5f6g7h8i9j0k', 'id.dob', '-', '--also', 'id.ssn9=-', '--reason', 'x']],
])('%s: two values cannot both come from stdin', async (command, argv) => {
  const ran = await runInProcess([...command.split(' '), ...argv], { home: ROOT, environment });
  expect(ran).toMatchObject(refusal(2, 'Only one value can come from stdin'));
});

test('users verify: a second fact without --also is asked for with it, and no value is repeated', async () => {
  const line = ['users', 'verify', 'fp_id_0a1b2c3d4e5f6g7h8i9j0k', 'id.dob=1990-01-09', 'id.ssn9=123121234'];
  const ran = await runInProcess(line, { home: ROOT, environment });
  expect(ran).toMatchObject(refusal(2, 'id.dob=VALUE --also id.ssn9=VALUE checks both'));
  expect(ran.stderr).not.toMatch(/1990|1231/);
});

test.each([
  ['IDENTIFIER', ['Quillonda Doemont', '1']],
  ['--also', ['id.dob=1990-01-09', '--also', 'Quillonda Doemont=1']],
])('users verify: a value in place of %s is refused and not repeated', async (where, argv) => {
  const line = ['users', 'verify', 'fp_id_0a1b2c3d4e5f6g7h8i9j0k', ...argv];
  const ran = await runInProcess(line, { home: ROOT, environment });
  expect(ran).toMatchObject(refusal(2, `${where} takes a data identifier (not shown`));
  expect(ran.stderr).not.toContain('Quillonda');
});
