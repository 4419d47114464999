/**
 * An institution's classification of its transactions: categories, merchants and processors, each with its confidence.
 */
import type { Enrichment } from '../contract/bank-records.ts';
import { MERCHANTS, PROCESSORS, type CategoryPair, type Merchant } from '../fixtures/bank-personas/index.ts';
import { decimal } from '../kernel/decimal.ts';
import type { AmountRange } from './chance.ts';

/** A merchant as flows use it. Each is built once and shared by its transactions. */
export interface KnownMerchant {
  readonly name: string;
  readonly raw: string;
  readonly amount: AmountRange;
  readonly enrichment: Enrichment;
}

const CATEGORY_CONFIDENCE = '0.99';

const known = new Map(Object.entries(MERCHANTS).map(([key, merchant]) => [key, know(key, merchant)]));

/** Throws for an unknown merchant. */
export function merchantOf(key: string): KnownMerchant {
  const merchant = known.get(key);
  if (!merchant) throw new Error('A persona names a merchant that there is not');
  return merchant;
}

/** The enrichment of a transaction without a merchant. */
export function categorised([category, subcategory]: CategoryPair): Enrichment {
  return {
    category: { confidence: CATEGORY_CONFIDENCE, value: category },
    subcategory: { confidence: CATEGORY_CONFIDENCE, value: subcategory },
    merchant: null,
    processor: null,
  };
}

function know(key: string, merchant: Merchant): KnownMerchant {
  const [category, subcategory] = merchant.category;
  const [ofCategory, ofSubcategory, ofMerchant] = merchant.confidence;
  const [least, most] = merchant.amount;
  return {
    name: merchant.name,
    raw: merchant.raw,
    amount: { least: decimal(least), most: decimal(most) },
    enrichment: {
      category: { confidence: ofCategory, value: category },
      subcategory: { confidence: ofSubcategory, value: subcategory },
      merchant: { confidence: ofMerchant, id: `merchant_${key}`, logo: merchant.logo, name: merchant.name },
      processor: merchant.processor === null ? null : processorOf(merchant.processor),
    },
  };
}

function processorOf(key: string): Enrichment['processor'] {
  const processor = PROCESSORS[key];
  if (!processor) throw new Error('A merchant names a processor that there is not');
  return { confidence: processor.confidence, id: `processor_${key}`, logo: null, name: processor.name };
}
