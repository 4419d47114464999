/** Codes of countries and US states from what people say, such as `USA`, `Deutschland` and `Georgia`. */
import { COUNTRY_CODES, US_STATE_CODES } from '../../contract/facts/countries.ts';

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
export function countryCodeOf(text: string): string | undefined {
  return countryNames().get(letters(text));
}

const STATES: ReadonlyMap<string, string> = new Map([
  ...[...US_STATE_CODES].flatMap((code, at) => [
    [code.toLowerCase(), code] as const,
    [STATE_NAMES[at] ?? code.toLowerCase(), code] as const,
  ]),
  ...Object.entries(OTHER_STATE_NAMES),
]);

export function stateCodeOf(text: string): string | undefined {
  return STATES.get(letters(text.replace(/^state of\s/i, '')));
}
