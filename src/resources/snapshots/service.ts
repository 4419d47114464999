/** Snapshots of the whole state (contract §11). */
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import type { Upload } from '../../contract/shapes.ts';
import { ServiceError } from '../../kernel/errors.ts';

export type Snapshot = AnswerOf<'GET /_kyclone/snapshots/{name}'>;

export interface Snapshots {
  save(name: string, options: { overwrite: boolean }): Promise<Snapshot>;
  list(query: RequestOf<'GET /_kyclone/snapshots'>['query']): Promise<AnswerOf<'GET /_kyclone/snapshots'>>;
  get(name: string): Promise<Snapshot>;
  remove(name: string): Promise<void>;
  load(name: string): Promise<Snapshot>;
  diff(name: string, to: string | undefined): Promise<AnswerOf<'GET /_kyclone/snapshots/{name}/diff'>>;
  content(name: string): Promise<{ content: AsyncIterable<Uint8Array>; bytes: number }>;
  take(name: string, file: Upload, options: { overwrite: boolean }): Promise<Snapshot>;
}

export function createSnapshots(): Snapshots {
  const missing = () => Promise.reject(new ServiceError('not_found', 'There is no snapshot of this name'));
  return {
    save: missing,
    list: missing,
    get: missing,
    remove: missing,
    load: missing,
    diff: missing,
    content: missing,
    take: missing,
  };
}
