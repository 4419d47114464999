/**
 * The output contract (docs/architecture.md#command-line), for every command of the manifest: what a daemon refuses, and
 * what never reaches one. A planted value or key must not appear in any output.
 */
import { describe, expect, test } from 'vitest';
import { mayRunDry } from '../../src/cli/shell/dry-run-commands.ts';
import '../support/tier-all.ts';
import {
  ASKS,
  CANARY,
  commands,
  expectCanaryInVaultOnly,
  expectFailure,
  ids,
  knownWordsOf,
  MODES,
  run,
  testIf,
  theDaemon,
  useMatrixWorld,
} from './matrix-world.ts';

/** These commands call no daemon, so none can refuse them and none can be missing. */
const LOCAL: ReadonlySet<string> = new Set([
  'capabilities',
  'compare:record',
  'completion:install',
  'completion:print',
  'completion:uninstall',
  'doctor',
  'errors',
  'transform',
  'vault:identifiers',
  'webhooks:kinds',
  'config:get',
  'config:list',
  'config:set',
  'config:delete',
  'faults:presets',
  'fixtures:check',
  'init',
  'partner:echo',
  'proxy:echo',
  'webhooks:verify',
  'fake:user',
  'fake:business',
  'bank:personas:get',
  'exec',
  'demo',
  'start',
  'stop',
  'restart',
  'logs',
  'env',
  'risk-signals:catalogue',
]);
/** The exit codes with refused keys and with a daemon that is gone, for commands that do more than make a call. */
const OTHER_ENDS: Readonly<Record<string, readonly [refused: number, gone: number, why: string]>> = {
  status: [4, 5, 'asks for what the control token opens'],
  docs: [4, 5, 'asks where the instance is'],
  wait: [4, 124, 'what does not prove itself is not waited for; one that is gone may come'],
  'compare:run': [2, 2, 'reads the key of the remote first'],
  'compare:replay': [2, 2, 'reads the transcript first'],
  'completion:ids': [0, 0, 'Tab must not disturb'],
  'requests:tail': [4, 5, 'cannot begin'],
  mcp: [0, 0, 'says so in the results of its tools'],
  inspect: [4, 5, 'asks for what the control token opens'],
  'webhooks:listen': [4, 5, 'cannot begin'],
  report: [4, 5, 'asks for what the control token opens'],
};

const IDS = /\b(fp_id|fp_bid|ob|link|tok|key|whk|evt|rule|req|flt)_[0-9A-Za-z]{22}\b/g;

/** An id, or a name that a person chose. */
const NAMES_SOMETHING =
  /\b(?:fp_id|fp_bid|ob|link|tok|key|whk|evt|rule|req|flt)_[0-9A-Za-z]{22}\b|before-migration|pb_test_mine/;
/** The exit code with unknown ids where it isn't 6, and why. */
const LENIENT: Readonly<Record<string, readonly [code: number, why: string]>> = {
  'proxy:send': [1, 'the target of the example is not there'],
};
const callsInstance = (id: string) => mayRunDry(id) && !LOCAL.has(id);

useMatrixWorld();

describe.each(ids)('%s', (id) => {
  test('usage: outputs that contradict each other are exit 2', async () => {
    if (id === 'exec') return;
    const argv = await knownWordsOf(id);
    expectFailure(await run([...argv, '--json', '--output', 'yaml']), ['--json'], 2);
  });

  testIf(callsInstance(id))('credentials: keys that are refused are exit 4, and are not shown', async () => {
    const argv = await knownWordsOf(id);
    for (const mode of MODES) {
      const outcome = await run([...argv, ...mode], {
        KYCLONE_BASE_URL: theDaemon().url,
        KYCLONE_API_KEY: `sk_test_${CANARY}`,
        KYCLONE_CONTROL_TOKEN: CANARY,
      });
      expectFailure(outcome, mode, ASKS.test(id) ? 3 : 4);
    }
  });

  testIf(callsInstance(id))('unreachable: a daemon that is gone is exit 5', async () => {
    const argv = await knownWordsOf(id);
    for (const mode of MODES) {
      const outcome = await run([...argv, ...mode], {
        KYCLONE_BASE_URL: 'http://127.0.0.1:1',
        KYCLONE_API_KEY: `sk_test_${CANARY}`,
        KYCLONE_CONTROL_TOKEN: CANARY,
      });
      expectFailure(outcome, mode, ASKS.test(id) ? 3 : 5);
    }
  });

  testIf(OTHER_ENDS[id])('credentials, unreachable: it ends as it should', async () => {
    const [refused = 0, gone = 0] = OTHER_ENDS[id] ?? [];
    const argv = await knownWordsOf(id);
    if (id === 'wait') argv.splice(1, Infinity, '--timeout', '0');
    for (const mode of MODES) {
      for (const [code, url] of [
        [refused, theDaemon().url],
        [gone, 'http://127.0.0.1:1'],
      ] as const) {
        const outcome = await run([...argv, ...mode], {
          KYCLONE_BASE_URL: url,
          KYCLONE_API_KEY: `sk_test_${CANARY}`,
          KYCLONE_CONTROL_TOKEN: CANARY,
        });
        if (code !== 0) expectFailure(outcome, mode, code);
        else expect(outcome).toMatchObject({ code: 0, stderr: '' });
        expect(JSON.stringify(outcome)).not.toContain(CANARY);
      }
    }
  });

  // `snapshot create` names a new snapshot, so it is left out.
  testIf(mayRunDry(id) && id !== 'snapshot:create' && NAMES_SOMETHING.test(commands[id]?.examples[0] ?? ''))(
    'not found: names of nothing are exit 6',
    async () => {
      const argv = await knownWordsOf(id);
      const strange = argv.map((word) =>
        word
          .replace(IDS, `$1_${'0'.repeat(22)}`)
          .replace(/^(?:before-migration|pb_test_mine)$/, (name) =>
            name.startsWith('pb') ? 'pb_test_none' : 'none',
          ),
      );
      const [code = 6] = LENIENT[id] ?? [];
      for (const mode of MODES) {
        expectFailure(await run([...strange, ...mode]), mode, ASKS.test(id) ? 3 : code);
      }
    },
  );

  testIf(commands[id]?.args['fields'] !== undefined)(
    'validation: a value that is not valid is exit 7, and is not shown',
    async () => {
      const argv = (await knownWordsOf(id)).filter((word) => !/^[a-z]+\.[\w.]+:?=/.test(word));
      for (const mode of MODES) expectFailure(await run([...argv, `id.dob=${CANARY}`, ...mode]), mode, 7);
    },
  );

  testIf(!mayRunDry(id))('--dry-run: is refused where more than calls is done', async () => {
    if (id === 'exec') return;
    for (const mode of MODES)
      expectFailure(await run([...(await knownWordsOf(id)), ...mode, '--dry-run']), mode, 2);
  });
});

test('every command has its situations, or a reason not to', () => {
  const without = ids.filter((id) => !callsInstance(id) && !LOCAL.has(id) && OTHER_ENDS[id] === undefined);
  expect(without).toEqual([]);
});

test.each(['env', 'status', 'logs', 'users:list', 'wait'])(
  '%s: an instance that does not run',
  async (id) => {
    const codes: Readonly<Record<string, number>> = { logs: 6, wait: 124 };
    const more = id === 'wait' ? ['--timeout', '0'] : [];
    for (const mode of MODES) {
      const argv = [...id.split(':'), ...more, '--instance', 'none', ...mode];
      expectFailure(await run(argv), mode, codes[id] ?? 5);
    }
  },
);

test('canary: it is in the vault, and neither in the log nor in the journal nor in any file', async () => {
  await expectCanaryInVaultOnly();
});
