import { compileFilter } from '../../../state/filter/filter.ts'
import {
  any,
  bool,
  bytes,
  duration,
  float,
  goList,
  goMap,
  int,
  nullable,
  text,
  time,
  uint,
} from '../../../state/kernel/shape/kinds.ts'
import { inputOnly, optional, struct, vendorNamed } from '../../../state/kernel/shape/members.ts'

const partShape = struct('Part', {
  Name: text,
  Size: int,
  Tags: goList(text),
  Labels: goMap(text),
  Secrets: vendorNamed('Vault', nullable(struct('Vault', { Role: text }))),
})

/** A struct with a member of every kind. */
export const thingShape = struct('Thing', {
  Text: text,
  Empty: text,
  Bool: bool,
  Int: int,
  Uint: uint,
  Float: float,
  Duration: duration,
  Time: time,
  Bytes: bytes,
  NoBytes: bytes,
  Texts: goList(text),
  NoTexts: goList(text),
  Ints: goList(int),
  Bools: goList(bool),
  Lists: goList(goList(text)),
  Parts: goList(partShape),
  NoParts: goList(partShape),
  Map: goMap(text),
  NoMap: goMap(text),
  PartMap: goMap(partShape),
  AnyMap: goMap(any),
  Struct: partShape,
  Pointer: nullable(partShape),
  Null: nullable(partShape),
  Delay: nullable(duration),
  NoDelay: nullable(duration),
  Word: nullable(text),
  Any: any,
  AnyNull: any,
  Token: vendorNamed('VaultToken', text),
  Echoed: optional(text),
  EchoedNumber: vendorNamed('VendorNumber', optional(int)),
  EchoedFlag: optional(bool),
  EchoedPart: optional(partShape),
  EchoedMap: optional(goMap(text)),
  SentOnly: inputOnly(text),
})

const part = (Name: string, Size: number) => ({
  Name,
  Size,
  Tags: ['red', 'round'],
  Labels: { zone: 'a' },
  Secrets: null,
})

/** A value of that struct. `echoed` members were not sent. */
export const thing = {
  Text: 'web-1',
  Empty: '',
  Bool: true,
  Int: -5,
  Uint: 50,
  Float: 1.5,
  Duration: 30_000_000_000,
  Time: '2026-01-01T00:00:00Z',
  // `abc`
  Bytes: 'YWJj',
  NoBytes: null,
  Texts: ['dc1', 'dc2'],
  NoTexts: null,
  Ints: [1, 3, 5],
  Bools: [true],
  Lists: [['a'], ['b', 'c']],
  Parts: [part('wheel', 4), { ...part('door', 2), Secrets: { Role: 'reader' } }],
  NoParts: null,
  Map: { team: 'core', 'a b': 'blank', 'a.b': 'dot', 'a/b': 'slash', __proto: 'x', nothing: '' },
  NoMap: null,
  PartMap: { spare: part('wheel', 1) },
  AnyMap: {
    image: 'redis:7',
    port: 6379,
    privileged: false,
    args: ['-v', 1, true, null],
    labels: [{ a: 'b' }],
    none: null,
    nested: { deep: { er: 'x' } },
  },
  Struct: part('engine', 1),
  Pointer: part('roof', 1),
  Null: null,
  Delay: 5_000_000_000,
  NoDelay: null,
  Word: 'hello',
  Any: { a: [1, { b: 'c' }] },
  AnyNull: null,
  Token: 't',
}

/** Returns the result of a filter for the value: true, false, or the text of its error. */
export function evaluateFilter(expression: string, value: object = thing): boolean | string {
  try {
    return compileFilter(expression, thingShape).matches(value)
  } catch (error) {
    if (error instanceof Error) return error.message
    throw error
  }
}
