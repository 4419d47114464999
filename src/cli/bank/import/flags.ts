/** How a statement is written. */
import { boolean, custom, string } from '@oclif/core/flags';
import { UsageError } from '../../shell/failure.ts';
import { dateReader, type DateReader } from './dates.ts';

export const importFlags = {
  columns: string({
    summary:
      'CSV: how columns are called, such as date=Datum,amount=Betrag; without a name the member is left out; repeatable',
    helpValue: 'MEMBER=NAME',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'date-format': custom<DateReader>({
    summary: 'CSV: how dates are written, such as MM/DD/YYYY (default: YYYY-MM-DD)',
    helpValue: 'FORMAT',
    parse: (text) => {
      const read = dateReader(text);
      if (read !== undefined) return Promise.resolve(read);
      const message = '--date-format takes a year, a month and a day, each once, such as DD.MM.YYYY';
      return Promise.reject(
        new UsageError(message, 'YYYY, YY, MM, M, MMM, DD, D; HH, mm and ss are read over'),
      );
    },
  })(),
  'decimal-comma': boolean({ summary: 'CSV: amounts are written 1.234,56' }),
  currency: string({
    summary: 'the currency of rows that name none, such as EUR (default: USD)',
    helpValue: 'CODE',
    parse: (text) =>
      /^[A-Z]{3}$/.test(text)
        ? Promise.resolve(text)
        : Promise.reject(new UsageError('--currency takes three capital letters, such as EUR')),
  }),
};
