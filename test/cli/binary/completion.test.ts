import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { jsonOf, runCli } from '../../support/cli.ts';
import { ask } from '../../support/example-world.ts';
import { mayRun, runShell, typeInto, WAITING_TAB } from '../../support/shells.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { useDaemon } from '../../support/use-shared.ts';

const HOSTILE = '$(touch pwned) `touch pwned` \'"; touch pwned #\n\u001b[31m\t%F{red}\\';
const CANARY = 'Zebrawoodcanary';

const daemon = useDaemon();
let home: string;
let userId: string;
let keyIds: string[];

beforeAll(async () => {
  ({ home } = daemon());
  const person = { 'id.first_name': CANARY, 'id.last_name': CANARY };
  userId = (await ask(daemon(), 'POST', '/users', person))['id'];
  await ask(daemon(), 'POST', '/_kyclone/api-keys', { name: HOSTILE, environment: 'sandbox' });
  const { stdout } = await runCli(['completion', 'ids', 'keys'], { home, environment: WAITING_TAB });
  keyIds = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
});

/** Returns what bash offers for a line that it has split into these words; the last word is the one to complete. */
async function bashOffersFor(line: string, words: readonly string[], ...flags: string[]): Promise<string[]> {
  const script = `
    source "$1"; COMP_LINE=$2; shift 2
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_POINT=\${#COMP_LINE} COMPREPLY=()
    _kyclone kyclone
    for word in "\${COMPREPLY[@]}"; do printf '%s\\n' "$word"; done`;
  const file = join(process.cwd(), 'completions', 'kyclone.bash');
  const bash = ['bash', '--norc', '--noprofile', ...flags, '-c', script, 'bash', file, line] as const;
  return linesOf(await runShell([...bash, ...words], { home }));
}

function bashOffers(...given: string[]): Promise<string[]> {
  const words = ['kyclone', ...given];
  return bashOffersFor(words.join(' '), words);
}

async function fishOffers(line: string): Promise<string[]> {
  const script = `source completions/kyclone.fish; complete -C"$LINE"`;
  const environment = { LINE: line };
  const cd = `cd '${process.cwd()}'; `;
  return linesOf(await runShell(['fish', '--no-config', '-c', cd + script], { home, environment }));
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

describe('ids', () => {
  test('completion ids: users with masked labels, no value in the clear', async () => {
    const { code, stdout, stderr } = await runCli(['completion', 'ids', 'users'], {
      home,
      environment: WAITING_TAB,
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^${userId}\\t.+\\n$`));
    expect(stdout).not.toContain(CANARY);
  });

  test('completion ids: without a daemon nothing is printed, and the exit code is 0', async () => {
    using empty = tempDir();
    for (const kind of ['users', 'onboardings', 'accounts', 'slots', 'instances']) {
      const outcome = await runCli(['completion', 'ids', kind], { home: empty.path });
      expect(outcome).toEqual({ code: 0, stdout: '', stderr: '' });
    }
  });

  test('completion ids: an unknown instance name prints no error', async () => {
    const outcome = await runCli(['completion', 'ids', 'users', '--instance=$(x)'], { home });
    expect(outcome).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test.each(['entities', 'playbooks', 'keys', 'tenants', 'instances', 'requests'])(
    'completion ids: there are %s to choose from',
    async (kind) => {
      const { code, stdout } = await runCli(['completion', 'ids', kind], { home, environment: WAITING_TAB });
      expect(code).toBe(0);
      expect(stdout).toMatch(/^(?:[\w.=-]+(?:\t[^\u0000-\u001f\u007f]+)?\n)+$/);
    },
  );
});

describe('bash', () => {
  test('bash: topics, verbs, flags and options complete', async () => {
    expect(await bashOffers('us')).toEqual(['users']);
    expect(await bashOffers('bank', 'links', 're')).toEqual(['refresh', 'reset']);
    expect(await bashOffers('users', 'list', '--page')).toEqual(['--page-size']);
    expect(await bashOffers('users', 'token', 'fp_id_1', '--scope', 'decrypt_')).toEqual([
      'decrypt_download',
    ]);
    expect(await bashOffers('help', 'us')).toEqual(['users']);
  });

  test('bash: words that bash splits at = and : are one word here', async () => {
    const scope = 'kyclone users token x --scope = va'.split(' ');
    const scopes = ['vault', 'vault_and_decrypt', 'vault_card'];
    expect(await bashOffersFor('kyclone users token x --scope=va', scope)).toEqual(scopes);
    const preview = 'kyclone keys create --scope preview : lab'.split(' ');
    expect(await bashOffersFor('kyclone keys create --scope preview:lab', preview)).toEqual(['labels']);
  });

  test('bash: live ids come, with instance and prefix as typed', async () => {
    expect(await bashOffers('users', 'get', '')).toEqual([userId]);
    expect(await bashOffers('--instance', 'default', 'users', 'get', userId.slice(0, 9))).toEqual([userId]);
    expect(await bashOffers('--instance', 'elsewhere', 'users', 'get', '')).toEqual([]);
    expect(await bashOffers('users', 'get', 'fp_id_zzzz')).toEqual([]);
    expect((await bashOffers('keys', 'delete', '')).sort()).toEqual([...keyIds].sort());
  });

  test('bash: identifier=value stays open behind the =', async () => {
    expect(await bashOffers('users', 'create', 'id.first_n')).toEqual(['id.first_name=']);
    expect(await bashOffers('vault', 'get', userId, 'id.ssn4', 'id.ssn')).toContain('id.ssn9');
  });

  test.runIf(mayRun('script'))('bash: Tab in an interactive shell fills in the id', async () => {
    await runCli(['completion', 'install', '--shell', 'bash'], { home, environment: { HOME: home } });
    const screen = await typeInto('bash --norc --noprofile -i', {
      home,
      typing: [
        {
          after: /[$#] $/,
          keys: "PS1='ready''> '; source ~/.local/share/bash-completion/completions/kyclone\r",
        },
        { after: /ready> $/, keys: 'kyclone us\tget \t--js\t\r' },
        { after: /"id": [\s\S]*ready> $/, keys: 'exit\r' },
      ],
    });
    expect(screen).toContain(`"id": "${userId}"`);
  });

  test('bash: with set -u in the shell nothing complains', async () => {
    const words = ['kyclone', 'users', 'get', ''];
    expect(await bashOffersFor(words.join(' '), words, '-u')).toEqual([userId]);
  });
});

describe.runIf(mayRun('fish'))('fish', () => {
  test('fish: words have descriptions', async () => {
    expect(await fishOffers('kyclone us')).toEqual(['users\tCreate, find, change and delete users']);
    expect(await fishOffers('kyclone users token x --scope=vault_c')).toEqual(['--scope=vault_card']);
    expect(await fishOffers('kyclone users create id.first_n')).toEqual(['id.first_name=']);
    expect(await fishOffers('kyclone users delete -')).toContain(
      "--yes\tdon't ask for confirmation before an irreversible action",
    );
    expect(await fishOffers('kyclone start --key-file /etc/hostn')).toEqual(['/etc/hostname']);
  });

  test('fish: live ids come, and a hostile label is text', async () => {
    expect((await fishOffers('kyclone users get '))[0]).toMatch(new RegExp(`^${userId}\\t`));
    const keys = await fishOffers('kyclone keys delete ');
    expect(keys.map((line) => line.split('\t')[0]).sort()).toEqual([...keyIds].sort());
    expect(keys.join('\n')).toContain('$(touch pwned) `touch pwned`');
    expect(existsSync(join(home, 'pwned'))).toBe(false);
  });
});

describe.runIf(mayRun('zsh', 'script'))('zsh', () => {
  test('zsh: Tab in an interactive shell lists ids with inert labels, and fills in', async () => {
    const environment = { HOME: home, ZDOTDIR: home };
    const installed = await runCli(['completion', 'install', '--shell', 'zsh', '--json'], {
      home,
      environment,
    });
    expect(jsonOf(installed)).toMatchObject({
      shell: 'zsh',
      files: [{ action: 'written' }, { action: 'written' }],
    });
    const screen = await typeInto('zsh -d -i', {
      home,
      typing: [
        { after: /[%#] /, keys: "stty cols 200; PROMPT='ready''> '\r" },
        { after: /ready> /, keys: 'kyclone us\tget \t--js\t\r' },
        { after: /"id": [\s\S]*ready> /, keys: 'kyclone keys delete \t\t' },
        { after: /touch pwned/, keys: '\u0015exit\r' },
      ],
    });
    expect(screen).toContain(`"id": "${userId}"`);
    expect(screen).toContain('$(touch pwned) `touch pwned`');
    // An escape sequence in the label would turn the text red if zsh interpreted it.
    expect(screen).not.toContain('\u001b[31m');
    expect(existsSync(join(home, 'pwned'))).toBe(false);
    expect(readFileSync(join(home, '.zshrc'), 'utf8')).toContain('compdef _kyclone kyclone');
  });
});

describe('commands', () => {
  test('completion print: the script alone, which the shell can evaluate', async () => {
    const out = await runShell(
      ['bash', '--norc', '-c', 'eval "$(kyclone completion print --shell bash)"; complete -p kyclone'],
      { home },
    );
    expect(out).toBe('complete -F _kyclone kyclone\n');
  });

  test('completion print: accepts the shell without its flag', async () => {
    using home = tempDir();
    const [named, flagged] = await Promise.all(
      [['fish'], ['--shell', 'fish']].map((argv) =>
        runCli(['completion', 'print', ...argv], { home: home.path }),
      ),
    );
    expect(named?.code).toBe(0);
    expect(named).toEqual(flagged);
  });
});
