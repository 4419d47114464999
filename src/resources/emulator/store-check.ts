import type { AnswerOf } from '../../contract/registry.ts';

export type StoreCheck = AnswerOf<'GET /_kyclone/store/check'>;

/** Checks of every page of the store. */
export interface StoreChecks {
  state(): StoreCheck;
  /** Begins a check unless one is under way. */
  begin(): StoreCheck;
}
