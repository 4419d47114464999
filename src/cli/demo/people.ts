/** The people of the tour. None of them exists: the numbers are from ranges that are never assigned. */
export const JANE = {
  'id.first_name': 'Jane',
  'id.last_name': 'Doe',
  'id.dob': '1988-12-30',
  'id.email': 'jane.doe@example.com',
  'id.phone_number': '+15555550123',
  'id.ssn9': '900121234',
  'id.address_line1': '1 Main St',
  'id.city': 'Boston',
  'id.state': 'MA',
  'id.zip': '02108',
  'id.country': 'US',
  'custom.favourite_colours': ['teal', 'plum'],
} as const;

/** The person at the page of a hosted flow. */
export const ROBIN = {
  'id.first_name': 'Robin',
  'id.last_name': 'Example',
  'id.dob': '1990-07-04',
  'id.email': 'robin.example@example.com',
} as const;

export const ACME = {
  'business.name': 'Acme Example Bank',
  'business.tin': '121231234',
  'business.city': 'Boston',
  'business.state': 'MA',
} as const;

/** Another person, with Jane's number. */
export const JOHN = { 'id.first_name': 'John', 'id.last_name': 'Roe', 'id.ssn9': JANE['id.ssn9'] } as const;
