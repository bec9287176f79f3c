import { describe, expect, test } from 'vitest'
import { type Json, JsonNumber } from '../../../../state/kernel/json.ts'
import { type DecoderSettings, decodeValue } from '../../../../state/kernel/shape/decode.ts'
import {
  any,
  bool,
  constant,
  duration,
  float,
  int,
  intOf,
  list,
  map,
  nullable,
  text,
  time,
  uint,
  uintOf,
  union,
  word,
} from '../../../../state/kernel/shape/kinds.ts'
import {
  aliased,
  inputOnly,
  optional,
  struct,
  vendorNamed,
} from '../../../../state/kernel/shape/members.ts'

const part = struct('Part', { Label: text, Weight: int }, 'Piece')
const thing = struct('Thing', {
  Name: text,
  Kind: word('a', 'b'),
  Alive: bool,
  Count: intOf({ bits: 8 }),
  Size: uint,
  Small: uintOf({ bits: 16 }),
  Share: float,
  Wait: duration,
  At: time,
  Tags: list(text),
  Parts: aliased('bits_and_bobs', list(part)),
  Part: vendorNamed('Piece', nullable(part)),
  Meta: map(text),
  Free: any,
  Either: union(text, list(text)),
  Same: constant(1),
  Extra: optional(text),
  Draft: inputOnly(text),
})

const vocabulary: DecoderSettings = {
  locatedBy: 'outermost',
  structType: (name) => name,
  elementType: (name) => name,
  wrongType: ({ value, location, type }) => new Error(`${value} into ${location} of type ${type}`),
  decodeAny: (value) => value,
}

const decode = (value: Json) => decodeValue(value, thing, vocabulary)
const mistake = (value: Json, change: Partial<DecoderSettings> = {}) => {
  try {
    return decodeValue(value, thing, { ...vocabulary, ...change })
  } catch (error) {
    return error instanceof Error ? error.message : error
  }
}

describe('decoded input', () => {
  test('is null where nothing was sent, and missing where the member is optional', () => {
    const nothing = Object.keys(thing.fields).filter((name) => name !== 'Extra')
    expect(decode(null)).toEqual(Object.fromEntries(nothing.map((name) => [name, null])))
    expect(decode({ Name: null, Extra: null })).toEqual(decode({}))
  })

  test('keeps its values', () => {
    const sent = {
      Name: 'n',
      Kind: 'c',
      Alive: true,
      Count: -128,
      Size: 5,
      Small: 65535,
      Share: new JsonNumber('1.50'),
      Wait: 7,
      At: 'x',
      Free: [1],
      Either: ['x'],
      Same: 2,
      Extra: 'e',
      Draft: 'd',
    }
    expect(decode(sent)).toMatchObject({ ...sent, Share: 1.5 })
  })

  test('replaces null in lists and maps by zero values', () => {
    const nothing = { Label: null, Weight: null }
    expect(decode({ Tags: [null], Parts: [null], Meta: { __proto: null, b: null } })).toMatchObject(
      {
        Tags: [''],
        Parts: [nothing],
        Meta: { b: '' },
      },
    )
  })

  test('matches members in any spelling; the last one counts', () => {
    expect(decode({ NAME: 'a', name: 'b' }).Name).toBe('b')
    expect(decode({ piece: { label: 'x' } }).Part).toEqual({ Label: 'x', Weight: null })
    expect(decode({ Bits_And_Bobs: [] }).Parts).toEqual([])
  })
})

describe("invalid values are reported in the vocabulary's words", () => {
  test.each([
    [[], 'array into Go value of type Thing'],
    [{ Name: 1 }, 'number into Go struct field Thing.Name of type string'],
    [{ Kind: 1 }, 'number into Go struct field Thing.Kind of type string'],
    [{ Alive: 'x' }, 'string into Go struct field Thing.Alive of type bool'],
    [{ Count: 128 }, 'number 128 into Go struct field Thing.Count of type int8'],
    [{ Size: -1 }, 'number -1 into Go struct field Thing.Size of type uint64'],
    [{ Small: 65536 }, 'number 65536 into Go struct field Thing.Small of type uint16'],
    [{ Wait: 'x' }, 'string into Go struct field Thing.Wait of type time.Duration'],
    [{ Wait: 1.5 }, 'number 1.5 into Go struct field Thing.Wait of type time.Duration'],
    [{ At: {} }, 'object into Go struct field Thing.At of type time.Time'],
    [{ Tags: true }, 'bool into Go struct field Thing.Tags of type []string'],
    [{ Parts: {} }, 'object into Go struct field Thing.Parts of type []Part'],
    [{ Meta: 'x' }, 'string into Go struct field Thing.Meta of type map[string]string'],
    [{ Part: { Weight: 'x' } }, 'string into Go struct field Thing.Part.Weight of type int'],
  ] satisfies [Json, string][])('%j', (sent, expected) => {
    expect(mistake(sent)).toBe(expected)
  })

  test("by the innermost object, with Go's package-qualified types", () => {
    const locatedBy = 'innermost'
    const structType = (name: string) => `api.${name}`
    const elementType = (name: string) => `*api.${name}`
    const change = { locatedBy, structType, elementType } as const
    expect(mistake({ Part: { Weight: 'x' } }, change)).toContain('Part.Part.Weight of type int')
    expect(mistake({ Parts: 1 }, change)).toContain('Thing.Parts of type []*api.Part')
    expect(mistake({ Part: 1 }, change)).toContain('Thing.Part of type api.Part')
  })

  test("in the vendor's names", () => {
    const sent = { Part: { Label: 5 } }
    expect(() => decodeValue(sent, thing, vocabulary, { dialect: 'vendor' })).toThrow(
      'Thing.Piece.Label of type string',
    )
    expect(() => decodeValue({ Part: 5 }, thing, vocabulary, { dialect: 'vendor' })).toThrow(
      'Thing.Piece of type Piece',
    )
  })

  test('at the end of the path to a value', () => {
    expect(() => decodeValue({ Name: 1 }, thing, vocabulary, { path: ['Job'] })).toThrow(
      'Thing.Job.Name',
    )
  })

  test('unknown members are ignored or refused', () => {
    expect(decode({ Nmae: 1 })).toEqual(decode({}))
    const unknownMember = (name: string) => new Error(`no ${name}`)
    expect(mistake({ Nmae: 1 }, { unknownMember })).toBe('no Nmae')
  })

  test('a vocabulary can decode scalars itself', () => {
    const takes = { duration: (value: Json) => (value === 'soon' ? 5 : undefined) }
    expect(mistake({ Wait: 'soon' }, { scalarDecoders: takes })).toMatchObject({ Wait: 5 })
    expect(mistake({ Wait: 5 }, { scalarDecoders: takes })).toContain(
      'number into Go struct field Thing.Wait',
    )
  })
})
