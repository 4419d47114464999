/** Made-up lists, names and scores, derived from an id and a code only, so that they repeat with a seed. */
import { hash } from 'node:crypto';
import type { HitCode } from '../../contract/facts/cases.ts';

const LISTS: Readonly<Record<HitCode, readonly [string, string]>> = {
  watchlist_hit_ofac: ['Northern Sanctions Register', 'Harbour Sanctions Register'],
  watchlist_hit_non_sdn: ['Register of Restricted Trade', 'Register of Restricted Finance'],
  watchlist_hit_warning: ['Market Warnings Bulletin', 'Investor Warnings Bulletin'],
  watchlist_hit_pep: ['Register of Public Offices', 'Register of Elected Persons'],
  adverse_media_hit: ['Evening Press Archive', 'Court News Archive'],
  business_name_watchlist_hit: ['Register of Restricted Companies', 'Harbour Companies Register'],
};
const FIRST = ['Avelina', 'Bertrand', 'Corisande', 'Dorrit', 'Ewald', 'Florentin', 'Gundula', 'Hesper'];
const LAST = ['Aldermoor', 'Brackwater', 'Castellane', 'Dunmarsh', 'Elverstone', 'Fennimore', 'Greywood'];
const TRADES = ['Trading', 'Shipping', 'Holdings', 'Minerals', 'Logistics'];
const LEAST_SCORE = 60;
const SCORES = 40;

export interface MadeUpHit {
  readonly list: string;
  readonly matched_name: string;
  readonly score: number;
}

/** `kind` is the entity's: a business matches a company. */
export function madeUpHit(fpId: string, code: HitCode, kind: 'user' | 'business'): MadeUpHit {
  const digest = hash('sha256', `hit ${fpId} ${code}`, 'buffer');
  const oneOf = (words: readonly string[], at: number) => words[digest.readUInt16BE(at) % words.length] ?? '';
  return {
    list: oneOf(LISTS[code], 0),
    matched_name: `${oneOf(kind === 'user' ? FIRST : LAST, 2)} ${oneOf(kind === 'user' ? LAST : TRADES, 4)}`,
    score: LEAST_SCORE + (digest.readUInt16BE(6) % SCORES),
  };
}
