/** Normalises texts for comparison with stored values (contract §4.3, §10). Pure. */
import { COUNTRY_CODES, US_STATE_CODES } from '../../contract/facts/countries.ts';
import { type Day } from '../../kernel/time/civil-date.ts';
import { datesOf, EXPIRY_DAYS } from '../../kernel/time/written-dates.ts';
import { NAME_IDENTIFIERS, nameSpellings } from '../search/names.ts';
import { fold } from './fingerprints.ts';
import { REFUSED, Refusal } from './rule.ts';
import { getIdentifier } from './registry.ts';

// Codes of countries and US states from what people say, such as `USA`, `Deutschland` and `Georgia`.

/** The three-letter codes of ISO 3166-1, in the order of COUNTRY_CODES. */
const ALPHA_3 = (
  'AND ARE AFG ATG AIA ALB ARM AGO ATA ARG ASM AUT AUS ABW ALA AZE BIH BRB BGD BEL BFA BGR BHR BDI BEN BLM ' +
  'BMU BRN BOL BES BRA BHS BTN BVT BWA BLR BLZ CAN CCK COD CAF COG CHE CIV COK CHL CMR CHN COL CRI CUB CPV ' +
  'CUW CXR CYP CZE DEU DJI DNK DMA DOM DZA ECU EST EGY ESH ERI ESP ETH FIN FJI FLK FSM FRO FRA GAB GBR GRD ' +
  'GEO GUF GGY GHA GIB GRL GMB GIN GLP GNQ GRC SGS GTM GUM GNB GUY HKG HMD HND HRV HTI HUN IDN IRL ISR IMN ' +
  'IND IOT IRQ IRN ISL ITA JEY JAM JOR JPN KEN KGZ KHM KIR COM KNA PRK KOR KWT CYM KAZ LAO LBN LCA LIE LKA ' +
  'LBR LSO LTU LUX LVA LBY MAR MCO MDA MNE MAF MDG MHL MKD MLI MMR MNG MAC MNP MTQ MRT MSR MLT MUS MDV MWI ' +
  'MEX MYS MOZ NAM NCL NER NFK NGA NIC NLD NOR NPL NRU NIU NZL OMN PAN PER PYF PNG PHL PAK POL SPM PCN PRI ' +
  'PSE PRT PLW PRY QAT REU ROU SRB RUS RWA SAU SLB SYC SDN SWE SGP SHN SVN SJM SVK SLE SMR SEN SOM SUR SSD ' +
  'STP SLV SXM SYR SWZ TCA TCD ATF TGO THA TJK TKL TLS TKM TUN TON TUR TTO TUV TWN TZA UKR UGA UMI USA URY ' +
  'UZB VAT VCT VEN VGB VIR VNM VUT WLF WSM YEM MYT ZAF ZMB'
).split(' ');

/** Names in use beside the official ones, as letters alone. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  AE: 'uae',
  BO: 'bolivia',
  CD: 'drc drcongo democraticrepublicofthecongo',
  CG: 'congo republicofthecongo',
  CI: 'ivorycoast costademarfil elfenbeinkuste',
  CZ: 'czechrepublic republicacheca tschechischerepublik republiquetcheque',
  GB: 'uk greatbritain britain england scotland wales northernireland granbretana inglaterra grossbritannien grandebretagne angleterre',
  HK: 'hongkong',
  IR: 'persia',
  KP: 'dprk',
  KR: 'korea republicofkorea corea korea coree',
  MK: 'macedonia',
  MM: 'burma myanmar birmania birma birmanie',
  MO: 'macau macao',
  NL: 'holland holanda hollande',
  PS: 'palestine palestina palastina',
  RU: 'russianfederation',
  SY: 'syria',
  SZ: 'swaziland',
  TL: 'easttimor',
  TR: 'turkey turkiye',
  TW: 'taiwan',
  US: 'america unitedstatesofamerica eeuu estadosunidosdeamerica vereinigtestaatenvonamerika amerika etatsunisdamerique amerique',
  VA: 'vatican vaticancity holysee',
  VN: 'vietnam',
};

const LANGUAGES = ['en', 'es', 'de', 'fr'];

/** In the order of US_STATE_CODES. */
const STATE_NAMES = (
  'alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho illinois ' +
  'indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana ' +
  'nebraska nevada newhampshire newjersey newmexico newyork northcarolina northdakota ohio oklahoma oregon ' +
  'pennsylvania rhodeisland southcarolina southdakota tennessee texas utah vermont virginia washington westvirginia ' +
  'wisconsin wyoming districtofcolumbia puertorico usvirginislands guam americansamoa northernmarianaislands'
).split(' ');

const OTHER_STATE_NAMES: Readonly<Record<string, string>> = {
  washingtondc: 'DC',
  virginislands: 'VI',
  newyorkstate: 'NY',
  washingtonstate: 'WA',
};

/** `u.s.a.` and `the United States` as letters alone. */
function letters(text: string): string {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mn}/gu, '')
    .replaceAll('ß', 'ss');
  return plain.replace(/^the\s/, '').replace(/[^\p{L}]/gu, '');
}

let known: ReadonlyMap<string, string> | undefined;

/** Made by the first use, since the names take milliseconds. */
function countryNames(): ReadonlyMap<string, string> {
  if (known !== undefined) return known;
  const codes = [...COUNTRY_CODES];
  known = new Map([
    ...LANGUAGES.flatMap((language) => {
      const names = new Intl.DisplayNames([language], { type: 'region' });
      return codes.map((code) => [letters(names.of(code) ?? code), code] as const);
    }),
    ...Object.entries(OTHER_NAMES).flatMap(([code, names]) =>
      names.split(' ').map((name) => [name, code] as const),
    ),
    ...codes.flatMap((code, at) => [
      [ALPHA_3[at]?.toLowerCase() ?? '', code] as const,
      [code.toLowerCase(), code] as const,
    ]),
  ]);
  return known;
}

/** The code of ISO 3166-1 for a name in English, Spanish, German or French, or for another code. */
function countryCodeOf(text: string): string | undefined {
  return countryNames().get(letters(text));
}

const STATES: ReadonlyMap<string, string> = new Map([
  ...[...US_STATE_CODES].flatMap((code, at) => [
    [code.toLowerCase(), code] as const,
    [STATE_NAMES[at] ?? code.toLowerCase(), code] as const,
  ]),
  ...Object.entries(OTHER_STATE_NAMES),
]);

function stateCodeOf(text: string): string | undefined {
  return STATES.get(letters(text.replace(/^state of\s/i, '')));
}

export { fold };

const ANY_SITUATION = { isLive: false, skipLuhn: true, isInUnitedStates: false };

/**
 * The folded text in the stored form of the identifier: `+1 (415) 555-2671` becomes `+14155552671`. Undefined when the
 * identifier can never have this text. Throws `invalid_request` for an unknown identifier.
 */
export function comparableText(identifier: string, text: string): string | undefined {
  const { derived, rule } = getIdentifier(identifier);
  if (derived) return fold(text);
  const cleaned = rule.clean(text, ANY_SITUATION);
  return typeof cleaned === 'string' ? fold(cleaned) : undefined;
}

const IS_STATE = /(?:^|[._])state$/;
const IS_NUMBER = /(?:number|zip|last4)$/;
const IS_EXPIRY = /expir/;
const NAMES: ReadonlySet<string> = new Set(Object.values(NAME_IDENTIFIERS).flat());
/** `+44 (0)7700 900002`, as numbers are printed: the 0 is for calls within the country. */
const PRINTED_PHONE = /^(\+\d{1,3})\s*\(0\)/;

/**
 * What a person may mean by a text, in the stored form of the identifier and folded: dates, telephone numbers and digits
 * as people say them, and names of countries and US states. Several for an ambiguous date; empty when the text can't be
 * read as a value of the identifier.
 */
export function statedForms(identifier: string, text: string, today: Day): readonly string[] {
  const isPhone = identifier.endsWith('phone_number');
  const stated = isPhone ? text.trim().replace(PRINTED_PHONE, '$1') : text.trim();
  const plain = comparableText(identifier, stated);
  const forms = plain === undefined ? readable(identifier, stated, today) : [plain];
  return forms.flatMap((form) => equalForms(identifier, form));
}

/**
 * The forms of one text that count as equal: a US state by its code, too, numbers without separators, and names as the
 * search reads them, whose words may be written as one.
 */
export function equalForms(identifier: string, text: string): readonly string[] {
  const folded = fold(text);
  if (NAMES.has(identifier)) return [folded, ...nameSpellings(text).map((words) => words.join(''))];
  const other = IS_STATE.test(identifier)
    ? stateCodeOf(folded)?.toLowerCase()
    : IS_NUMBER.test(identifier) || /^[\d\s.-]+$/.test(folded)
      ? folded.replace(/[\s.\-/]/g, '')
      : undefined;
  return other === undefined || other === folded ? [folded] : [folded, other];
}

function readable(identifier: string, stated: string, today: Day): readonly string[] {
  const latest = IS_EXPIRY.test(identifier) ? today + EXPIRY_DAYS : today;
  const place = IS_STATE.test(identifier) ? stateCodeOf(stated) : countryCodeOf(stated);
  const digits = stated.replace(/[\s.\-/*•#xX]/g, '');
  const all = [
    ...datesOf(stated, latest),
    ...phoneNumbers(stated),
    ...(/^\d+$/.test(digits) ? [digits] : []),
    ...(place === undefined ? [] : [place]),
  ];
  return all.flatMap((each) => comparableText(identifier, each) ?? []);
}

/** A number of ten digits, or of 1 and ten digits, is North American. */
function phoneNumbers(stated: string): readonly string[] {
  const digits = stated.replace(/\(0\)/g, '').replace(/[\s().\-/‐-―]/g, '');
  const [, national] = /^(?:\+?1)?([2-9]\d{9})$/.exec(digits) ?? [];
  if (national !== undefined) return [`+1${national}`];
  const [, international] = /^(?:\+|00|011)([1-9]\d+)$/.exec(digits) ?? [];
  return international === undefined ? [] : [`+${international}`];
}

const TO_SAY: readonly (readonly [refusal: Refusal, hint: string])[] = [
  [REFUSED.DATE, 'Say 12/30/1988, 30.12.1988 or 30 Dec 1988'],
  [REFUSED.TEL, 'Say it with + and the country code: +1 415 555 2671'],
  [REFUSED.CTRY, 'Say a country or its code: Germany, DE or DEU'],
  [REFUSED.ST, 'Say a US state or its code: Georgia or GA'],
];

/** How to give a value that can be read as this identifier; for a text of which `statedForms` is empty. */
export function howToState(identifier: string, text: string): string {
  const { rule } = getIdentifier(identifier);
  const refusal = rule.clean(text.trim(), ANY_SITUATION);
  const reason = refusal instanceof Refusal ? refusal.reason : '';
  const [, hint] = TO_SAY.find(([{ reason: known }]) => reason.startsWith(known)) ?? [];
  return hint ?? `It must be ${rule.clean.words ?? 'a value that this field can have'}`;
}
