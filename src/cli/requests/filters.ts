/** Which entries of the journal are wanted (contract §11). */
import { string as stringArg } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import type { AnswerOf } from '../../contract/registry.ts';
import { pathGlob } from '../../kernel/path-glob.ts';
import { integerFlag } from '../shell/flags.ts';

export type JournalEntry = AnswerOf<'GET /_kyclone/requests/{id}'>;

export const requestArg = {
  id: stringArg({ description: 'x-request-id of the answer (req_…)', required: true }),
};

export const filterFlags = {
  method: string({ summary: 'only of this method', helpValue: 'METHOD' }),
  path: string({ summary: 'only to these paths: * is one segment, ** any number', helpValue: 'GLOB' }),
  status: integerFlag({
    summary: 'only with this status; 0 for those that got no answer',
    min: 0,
    max: 599,
    helpValue: 'STATUS',
  }),
  control: boolean({ summary: 'also calls below /_kyclone/, which kyclone itself makes' }),
};

/** The path of the control plane means its calls. */
export function wantsControl({ control, path }: { control: boolean; path?: string | undefined }): boolean {
  return control || path?.startsWith('/_kyclone') === true;
}

export interface Filters {
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly status?: number | undefined;
  /** False leaves out calls of the control plane. */
  readonly control?: boolean;
}

/** The same test as the daemon's, for entries that come over the stream. */
export function entryFilter({ method, path, status, control }: Filters): (entry: JournalEntry) => boolean {
  const matchesPath = path === undefined ? () => true : pathGlob(path);
  return (entry) =>
    (method === undefined || entry.method === method.toUpperCase()) &&
    (status === undefined || entry.status === status) &&
    (control !== false || !entry.path.startsWith('/_kyclone/')) &&
    matchesPath(entry.path.split('?')[0] ?? '');
}
