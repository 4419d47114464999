/**
 * Every flag of every command that sends a request, by `--dry-run` and without a daemon: what a person gives is in the
 * request, `--live` takes the live key, and an error never repeats what was typed.
 */
import { parse } from 'shell-quote';
import { beforeAll, describe, expect, test } from 'vitest';
import { mayRunDry } from '../../src/cli/shell/dry-run-commands.ts';
import { runInProcess } from '../support/cli-in-process.ts';
import { writeExampleFiles } from '../support/example-world.ts';
import { tempDir } from '../support/temp-dir.ts';
import { commands, ids, testIf } from './matrix-world.ts';

interface Flag {
  readonly type: string;
  readonly helpGroup?: string;
}

const TYPED = 'SSN 219-09-9999';

let home: ReturnType<typeof tempDir>;
beforeAll(() => {
  home = tempDir();
  writeExampleFiles(home.path, 'cttok_1');
  return () => home[Symbol.dispose]();
});

const run = (words: readonly string[]) =>
  runInProcess(words, {
    home: home.path,
    environment: {
      KYCLONE_BASE_URL: 'http://127.0.0.1:1',
      KYCLONE_PARTNER_API_KEY: 'key',
      KYCLONE_PARTNER_API_SECRET: 'secret',
    },
    stdin: 'a text',
  });

const dry = (words: readonly string[]) => run([...words, '--dry-run', '--with-values']);

const flagsOf = (id: string) => commands[id]?.flags as Readonly<Record<string, Flag>>;
const isOwn = (flag: Flag | undefined) => flag !== undefined && flag.helpGroup !== 'GLOBAL';

/** Returns the words of each example that is one plain call of the command, as typed. */
function callsOf(id: string): string[][] {
  const start = `kyclone ${id.replaceAll(':', ' ')}`;
  return (commands[id]?.examples ?? [])
    .map((example) => example.replaceAll('<%= config.bin %>', 'kyclone'))
    .filter((example) => example.startsWith(start) && !/[\n|`$]/.test(example))
    .map((example) => parse(example))
    .filter((words) => words.every((word): word is string => typeof word === 'string'))
    .map((words) => words.slice(1));
}

/** Returns the call without one of its flags, for each of them, by the name of the flag. */
function withoutEach(id: string, call: readonly string[]): [flag: string, rest: string[]][] {
  return call.flatMap((word, index) => {
    const [, name = '', value] = /^--([a-z-]+)(=.*)?$/s.exec(word) ?? [];
    const flag = flagsOf(id)[name];
    if (!isOwn(flag)) return [];
    const isNext = flag?.type === 'option' && value === undefined;
    return [[name, [...call.slice(0, index), ...call.slice(index + (isNext ? 2 : 1))]] as [string, string[]]];
  });
}

/** Flags about what is done with the response, or of a later request. */
const LATER = /^(?:wait|timeout|expect|yes|out|force|all|include|add|remove|print|open|env-out|api-\w+)$/;
/** Flags of an example that change no request there, and why. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  'audit:list --operator', // the command filters what it reads
  'risk-signals:catalogue --search', // likewise
  'risk-signals:catalogue --severity', // likewise
  'snapshot:create --file', // it says where the content is saved
  'fixtures:run --set', // the first file has no variable
  'fake:user --count', // the requests after the first
  'fake:business --count', // likewise
  'onboardings:start --playbook', // the example names the default of a business
]);
/** Commands whose first request is a preparation, the same in both environments. */
const FIRST_REQUEST_IS_COMMON =
  /^(?:bank:link|users:cip|users:cip-report|onboardings:token|webhooks:events)$/;
/** Commands that name an argument in an error: a file, or what a text is asked for. */
const NAMES_ARGUMENTS = /^(?:fixtures:run|(?:users|businesses):verify)$/;

describe.each(ids.filter(mayRunDry))('%s', (id) => {
  test('flags: each of an example is in the request', async () => {
    for (const call of callsOf(id)) {
      const whole = await dry(call);
      if (whole.code !== 0) continue;
      for (const [name, rest] of withoutEach(id, call))
        if (!LATER.test(name) && !WITHOUT_EFFECT.has(`${id} --${name}`))
          expect(await dry(rest), `--${name} of ${call.join(' ')}`).not.toEqual(whole);
    }
  });

  testIf(flagsOf(id)['live'] && !FIRST_REQUEST_IS_COMMON.test(id))(
    '--live: changes the key or the request',
    async () => {
      const [call = []] = callsOf(id).filter((words) => !/--(?:token|live|playbook)/.test(words.join(' ')));
      const sandbox = await dry(call);
      if (sandbox.code === 0) expect(await dry([...call, '--live'])).not.toEqual(sandbox);
    },
  );
});

/** These call no daemon, end by themselves and change nothing but the settings of this home. */
const LOCAL = ['config:delete', 'config:get', 'config:set', 'env', 'errors', 'logs', 'status', 'transform'];
LOCAL.push('bank:personas:get', 'vault:identifiers', 'webhooks:kinds', 'webhooks:verify');

test.each([...ids.filter(mayRunDry), ...LOCAL])('%s: an error does not repeat what was typed', async (id) => {
  const [call = id.split(':')] = callsOf(id);
  const options = Object.entries(flagsOf(id)).filter(([, { type }]) => type === 'option');
  const wrong = [
    ...options.map(([name]) => [...call, `--${name}=${TYPED}`]),
    ...call.map((_, index) => call.with(index, TYPED)),
    [...call, TYPED],
    [...call, `--${TYPED}`],
  ];
  for (const words of wrong) {
    const { code, stdout, stderr } = await (mayRunDry(id) ? dry : run)(words);
    if (code === 0 || NAMES_ARGUMENTS.test(id)) continue;
    expect(`${stdout}${stderr}`, words.join(' ')).not.toBe('');
    expect(`${stdout}${stderr}`, words.join(' ')).not.toContain('9999');
  }
});
