import { string as stringArg } from '@oclif/core/args';
import { string } from '@oclif/core/flags';

const BY_NAME_OR_FILE = 'a snapshot: its name, or a file (with a slash, or ending in .kysnap)';

export const snapshotArg = { snapshot: stringArg({ description: BY_NAME_OR_FILE, required: true }) };
export const optionalSnapshotArg = { snapshot: stringArg({ description: BY_NAME_OR_FILE }) };
export const nameArg = { name: stringArg({ description: 'name of a snapshot', required: true }) };

export const fileFlag = (summary: string) => ({ file: string({ summary, helpValue: 'FILE' }) });

/** What is true of every file of a snapshot. */
export const FILE_HELP =
  'A file is encrypted. Another instance opens it with the key of this user (snapshot.key in the configuration ' +
  'folder), or with that of KYCLONE_SNAPSHOT_KEY: 64 hexadecimal characters, for pipelines.';
