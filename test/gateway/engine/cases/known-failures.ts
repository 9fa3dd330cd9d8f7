import type { Way } from './case.ts';

/** What the present engine gets wrong, by case and operation: take out what is right now. */
export const KNOWN_FAILURES: Readonly<Record<string, Readonly<Record<string, readonly Way[]>>>> = {
  'a shared root field of an interface whose types have external keys': {
    '{ thing(id: "k1") { id } }': ['composed', 'supergraph'],
  },
  'a value below an interface of which another service has more': {
    '{ carried { size { width height } } }': ['composed', 'supergraph'],
    '{ all { ... on Carried { s: size { h: height } } } }': ['composed', 'supergraph'],
  },
  'a requirement within the object that is the key, of another service': {
    '{ invoices { note c: customer { level } } }': ['composed', 'supergraph'],
  },
  'Query in the payload of a mutation': {
    'mutation { order(count: 2) { count query { goods { name } } } }': ['composed'],
    'mutation { order(count: 2) { query { goods { name amount } } } }': ['composed'],
    'mutation { order(count: 2) { count query { stored __typename goods { id } } } }': ['composed', 'supergraph'],
    '{ stored goods { amount } }': ['composed'],
  },
  'a supergraph of join 0.1': {
    '{ good(code: "c1") { name } }': ['supergraph'],
    '{ good(code: "c1") { price ... on Chart { name isStored } } }': ['supergraph'],
    '{ good(code: "t1") { name isStored ... on Tool { title details { weight } } } }': ['supergraph'],
    '{ goods { name details { origin } isStored } }': ['supergraph'],
    '{ me { login wishes { code name } } }': ['supergraph'],
    'query ($a: Boolean!, $b: Boolean!) { me { id @skip(if: $a) id @include(if: $b) login } }': ['supergraph'],
    'query ($a: Boolean!, $b: Boolean!) { me { id @skip(if: $a) id @include(if: $b) wishes { code } } }': [
      'supergraph',
    ],
  },
  'a key that is the name of the type alone': {
    '{ settings { theme limit } }': ['composed', 'supergraph'],
    '{ settings { limit } }': ['composed', 'supergraph'],
    '{ settings { label } }': ['composed', 'supergraph'],
  },
  'a field that is provided on one level of a recursive type': {
    '{ first { name chief { name chief { name } } } }': ['composed', 'supergraph'],
    '{ first { chief { chief { chief { name } } } } }': ['composed', 'supergraph'],
  },
  'root types with names of their own': {
    '{ part { name weight } }': ['supergraph'],
    '{ count part @skip(if: true) { name } }': ['supergraph'],
    '{ __typename count }': ['supergraph'],
    'mutation { make { weight } }': ['supergraph'],
  },
  'requirements of interface objects below interface objects': {
    'mutation { make { near { label } } }': ['composed', 'supergraph'],
    '{ book { label near { label ... on Book { pages } } } }': ['composed', 'supergraph'],
  },
};
