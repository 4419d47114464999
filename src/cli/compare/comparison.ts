/** Compares the emulator's responses with the remote's, exchange by exchange. */
import { differencesOf, isOfNoMeaning, type Difference } from './differences.ts';
import type { KnownDifferences } from './known.ts';
import type { RecordedExchange, RecordedScenario } from './transcript.ts';

export interface FoundDifference extends Difference {
  /** As in a file of --allow. */
  readonly id: string;
  readonly known: boolean;
}

export interface ComparedExchange {
  readonly scenario: string;
  readonly step: string;
  readonly call: string;
  readonly outcome: 'same' | 'different' | 'not_comparable';
  /** Why the exchange is not comparable; null otherwise. */
  readonly reason: string | null;
}

export interface Comparison {
  /** At least one exchange was compared, and all differences are known. */
  readonly ok: boolean;
  readonly counts: {
    readonly same: number;
    readonly different: number;
    readonly not_comparable: number;
    readonly new_differences: number;
  };
  readonly exchanges: readonly ComparedExchange[];
  readonly data: readonly FoundDifference[];
  /** Lines of --allow that matched no difference. */
  readonly unused: readonly string[];
}

export interface ScenarioPair {
  readonly emulator: RecordedScenario;
  /** Undefined if the transcript has no scenario of this name. */
  readonly remote: RecordedScenario | undefined;
}

export function compareAll(pairs: readonly ScenarioPair[], known: KnownDifferences): Comparison {
  const exchanges: ComparedExchange[] = [];
  const found: FoundDifference[] = [];
  for (const { emulator, remote } of pairs) {
    const lost = new LostNames();
    for (const [index, ours] of emulator.exchanges.entries()) {
      const about = { scenario: emulator.name, step: ours.id, call: ours.call };
      const { reason, differences: all } = compareOne(ours, remoteExchange(emulator, remote, index));
      const unexplained = all.filter((each) => !lost.explain(each));
      lost.note(ours.id, reason, unexplained);
      const differences = unexplained.filter((each) => !isOfNoMeaning(each));
      found.push(
        ...differences.map((each) => {
          const id = `${emulator.name}/${ours.id}:${each.place}:${each.kind}`;
          return { id, known: known.has(id), ...each };
        }),
      );
      const outcome = reason !== null ? 'not_comparable' : differences.length > 0 ? 'different' : 'same';
      exchanges.push({ ...about, outcome, reason });
    }
  }
  const count = (outcome: ComparedExchange['outcome']) =>
    exchanges.filter((each) => each.outcome === outcome).length;
  const counts = {
    same: count('same'),
    different: count('different'),
    not_comparable: count('not_comparable'),
    new_differences: found.filter((each) => !each.known).length,
  };
  const ok = counts.new_differences === 0 && counts.same + counts.different > 0;
  return { ok, counts, exchanges, data: found, unused: known.unused };
}

/**
 * Names that only one side has, because the responses differ where the value first occurred. A later difference in
 * such a name has the same cause, and is not reported again.
 */
class LostNames {
  readonly #places: string[] = [];

  note(step: string, reason: string | null, differences: readonly Difference[]): void {
    if (reason !== null) this.#places.push(`<${step}`);
    for (const { place } of differences) {
      const inner = place.startsWith('body') ? place.slice('body'.length) : '';
      this.#places.push(`<${step}${inner}`);
    }
  }

  explain({ kind, emulator, remote }: Difference): boolean {
    return kind === 'value' && [emulator, remote].some((name) => name !== null && this.#has(name));
  }

  #has(name: string): boolean {
    const plain = name.replace(/\[\d+\]/g, '[]');
    return this.#places.some((place) => plain.startsWith(place) && /^[>.[]/.test(plain.slice(place.length)));
  }
}

function remoteExchange(
  emulator: RecordedScenario,
  remote: RecordedScenario | undefined,
  index: number,
): RecordedExchange | string {
  if (remote === undefined) return 'the transcript has no such scenario';
  if (remote.digest !== emulator.digest) return 'the scenario has changed since it was recorded';
  return remote.exchanges[index] ?? 'the transcript has no such step';
}

function compareOne(
  ours: RecordedExchange,
  theirs: RecordedExchange | string,
): { reason: string | null; differences: readonly Difference[] } {
  const not = (reason: string) => ({ reason, differences: [] });
  if (typeof theirs === 'string') return not(theirs);
  if ('skipped' in theirs) return not(`remote: ${theirs.skipped}`);
  if ('skipped' in ours) return not(`emulator: ${ours.skipped}`);
  if (theirs.status === 403 && ours.status < 400) return not('remote: its key may not do this (403)');
  return { reason: null, differences: differencesOf(ours, theirs) };
}
