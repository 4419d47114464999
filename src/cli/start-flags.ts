/** What `start` and `restart` pass on to the daemon. */
import { boolean, string } from '@oclif/core/flags';
import { integerFlag } from './flags.ts';
import { UsageError } from './failure.ts';
import { settingName } from './preferences.ts';

export const startFlags = {
  ephemeral: boolean({ summary: 'keep all data in memory; it is gone when the daemon ends' }),
  port: integerFlag({
    summary: 'port to listen on, 0 for a free one (default 4630)',
    min: 0,
    max: 65_535,
    helpValue: 'N',
  }),
  host: string({
    summary: 'address to listen on instead of loopback; needs --allow-remote',
    helpValue: 'HOST',
  }),
  'allow-remote': boolean({ summary: 'let other machines reach it' }),
  seed: string({ summary: 'make ids repeat from run to run', helpValue: 'TEXT' }),
  clock: string({
    summary: 'start with the clock frozen at this time, such as 2026-01-31T12:00:00Z',
    helpValue: 'TIME',
  }),
  import: string({ summary: 'begin with the state of this snapshot', helpValue: 'FILE' }),
  'export-on-exit': string({
    summary: 'save the state as a snapshot when it stops (default: to the --import file)',
    helpValue: 'FILE',
  }),
  'data-dir': string({ summary: 'keep the encrypted store here', helpValue: 'DIR' }),
  'api-key-file': string({ summary: 'file with the API keys to start with, one a line', helpValue: 'FILE' }),
  'key-file': string({ summary: 'keep the vault key in this file', helpValue: 'FILE' }),
  'require-keychain': boolean({ summary: 'refuse to start without the OS keychain' }),
  set: string({
    summary: 'a setting for this start, such as egress.policy=strict; repeatable',
    helpValue: 'NAME=VALUE',
    multiple: true,
    multipleNonGreedy: true,
  }),
};

export interface StartFlags {
  readonly ephemeral: boolean;
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  readonly 'allow-remote': boolean;
  readonly seed?: string | undefined;
  readonly clock?: string | undefined;
  readonly import?: string | undefined;
  /** The empty text where no file was given. */
  readonly 'export-on-exit'?: string | undefined;
  readonly 'data-dir'?: string | undefined;
  readonly 'api-key-file'?: string | undefined;
  readonly 'key-file'?: string | undefined;
  readonly 'require-keychain': boolean;
  readonly set?: string[] | undefined;
}

/** The daemon's options; those of a kept preference come first, so that what was typed wins. Throws UsageError. */
export function daemonOptions(flags: StartFlags, instance: string, preferred: readonly string[]): string[] {
  const value = (name: string, text: string | number | undefined) =>
    text === undefined ? [] : [`--${name}`, String(text)];
  const given = (name: string, isGiven: boolean) => (isGiven ? [`--${name}`] : []);
  return [
    ...value('instance', instance),
    ...preferred,
    ...given('ephemeral', flags.ephemeral),
    ...value('port', flags.port),
    ...value('host', flags.host),
    ...given('allow-remote', flags['allow-remote']),
    ...value('seed', flags.seed),
    ...value('clock', flags.clock),
    ...value('import', flags.import),
    ...exportOption(flags['export-on-exit']),
    ...value('data-dir', flags['data-dir']),
    ...value('api-key-file', flags['api-key-file']),
    ...value('key-file', flags['key-file']),
    ...given('require-keychain', flags['require-keychain']),
    ...(flags.set ?? []).flatMap((assignment) => ['--set', checkedAssignment(assignment)]),
  ];
}

function exportOption(file: string | undefined): string[] {
  if (file === undefined) return [];
  return [file === '' ? '--export-on-exit' : `--export-on-exit=${file}`];
}

function checkedAssignment(assignment: string): string {
  const equals = assignment.indexOf('=');
  if (equals < 1) throw new UsageError('--set takes NAME=VALUE');
  settingName(assignment.slice(0, equals));
  return assignment;
}
