import { expect, test } from 'vitest';
import { daemonVariables, harmlessOptions, signalOptions } from '../../../src/cli/instance/daemon-process.ts';

test.each([
  [undefined, undefined, []],
  ['', undefined, []],
  ['--max-semi-space-size=1', '--max-semi-space-size=1', []],
  ['--max_old_space_size=100 --no-warnings', '--max_old_space_size=100 --no-warnings', []],
  ['--dns-result-order ipv4first --inspect', '--dns-result-order ipv4first', ['--inspect']],
  ['--inspect-brk=0.0.0.0:9229', undefined, ['--inspect-brk']],
  ['--require ./a.js --no-warnings', '--no-warnings', ['--require']],
  ['-r "./with space.js" --import=tsx', undefined, ['-r', '--import']],
  ['--"inspect"', undefined, ['--inspect']],
  ['--in"spe"ct --max-old-space-size=1', '--max-old-space-size=1', ['--inspect']],
  [
    '--heapsnapshot-signal=SIGUSR2 --report-on-signal',
    undefined,
    ['--heapsnapshot-signal', '--report-on-signal'],
  ],
  [
    '--abort-on-uncaught-exception --diagnostic-dir=/tmp',
    undefined,
    ['--abort-on-uncaught-exception', '--diagnostic-dir'],
  ],
  ['--experimental_loader x --some-new-flag', undefined, ['--experimental_loader', '--some-new-flag']],
])('harmlessOptions: of %j a daemon gets %j', (options, kept, dropped) => {
  expect(harmlessOptions(options)).toEqual({ kept, dropped });
});

test('daemonVariables: takes away what makes Node leak, says what it left out, and changes nothing of ours', () => {
  const ours = { PATH: '/bin', NODE_OPTIONS: '--inspect', NODE_DEBUG: 'http', NODE_EXTRA_CA_CERTS: 'ca.pem' };
  const { environment, notices } = daemonVariables(ours);
  expect(environment).toEqual({ PATH: '/bin', NODE_EXTRA_CA_CERTS: 'ca.pem' });
  expect(notices).toEqual([
    'The daemon starts without --inspect of NODE_OPTIONS: it takes only what can do it no harm.',
  ]);
  expect(ours.NODE_OPTIONS).toBe('--inspect');
  expect(daemonVariables({ NODE_OPTIONS: '--no-warnings' })).toEqual({
    environment: { NODE_OPTIONS: '--no-warnings' },
    notices: [],
  });
});

test('signalOptions: the flag against the debugger is given to a Node that knows it', () => {
  expect(
    ['v20.17.0', 'v22.13.1', 'v23.6.0', 'v22.14.0', 'v23.7.0', 'v24.0.0'].map(
      (one) => signalOptions(one).length,
    ),
  ).toEqual([0, 0, 0, 1, 1, 1]);
});
