import { expect, expectTypeOf, test } from 'vitest'
import type { Json } from '../../../../state/kernel/json.ts'
import { fillDefaults } from '../../../../state/kernel/shape/fill-defaults.ts'
import {
  any,
  bool,
  bytes,
  constant,
  goList,
  goMap,
  int,
  list,
  map,
  nullable,
  tagged,
  text,
  union,
  word,
} from '../../../../state/kernel/shape/kinds.ts'
import {
  described,
  inputOnly,
  optional,
  partial,
  secret,
  struct,
  vendorNamed,
  withDefault,
  withOthers,
} from '../../../../state/kernel/shape/members.ts'
import type { InputOf, ParsedOf, StoredOf } from '../../../../state/kernel/shape/values.ts'

const plant = struct('Plant', {
  Name: text,
  Kind: word('tree', { herb: 'kraut' }),
  Height: vendorNamed('Hoehe', described(int, 'In centimetres')),
  Leaves: list(struct({ Green: bool })),
  Fruits: goList(text),
  Labels: map(text),
  Notes: goMap(any),
  Seed: nullable(bytes),
  Nickname: optional(text),
  Water: withDefault(word('little', 'much'), 'little'),
  Key: secret(optional(text)),
  Draft: inputOnly(bool),
})

test('stored values are complete', () => {
  expectTypeOf<StoredOf<typeof plant>>().toEqualTypeOf<{
    readonly Name: string
    readonly Kind: 'tree' | 'herb'
    readonly Height: number
    readonly Leaves: readonly { readonly Green: boolean }[]
    readonly Fruits: readonly string[] | null
    readonly Labels: Readonly<Record<string, string>>
    readonly Notes: Readonly<Record<string, Json>> | null
    readonly Seed: string | null
    readonly Nickname?: string
    readonly Water: 'little' | 'much'
    readonly Key?: string
  }>()
})

test('input may omit members with a default', () => {
  expectTypeOf<InputOf<typeof plant>>().toEqualTypeOf<{
    readonly Name: string
    readonly Kind: 'tree' | 'herb'
    readonly Height: number
    readonly Leaves: readonly { readonly Green: boolean }[]
    readonly Fruits: readonly string[] | null
    readonly Labels: Readonly<Record<string, string>>
    readonly Notes: Readonly<Record<string, Json>> | null
    readonly Seed: string | null
    readonly Nickname?: string
    readonly Water?: 'little' | 'much'
    readonly Key?: string
    readonly Draft: boolean
  }>()
})

test('sent values may lack every member, and words are any text', () => {
  expectTypeOf<ParsedOf<typeof plant>>().toEqualTypeOf<{
    readonly Name: string | null
    readonly Kind: string | null
    readonly Height: number | null
    readonly Leaves: readonly { readonly Green: boolean | null }[] | null
    readonly Fruits: readonly string[] | null
    readonly Labels: Readonly<Record<string, string>> | null
    readonly Notes: Readonly<Record<string, Json>> | null
    readonly Seed: string | null
    readonly Nickname?: string
    readonly Water: string | null
    readonly Key?: string
    readonly Draft: boolean | null
  }>()
})

test('unions, constants, open members and changes', () => {
  const clock = tagged(
    'mode',
    struct({ mode: word('real') }),
    struct({ mode: word('frozen'), at: optional(text) }),
  )
  expectTypeOf<StoredOf<typeof clock>>().toEqualTypeOf<
    { readonly mode: 'real' } | { readonly mode: 'frozen'; readonly at?: string }
  >()
  const pace = union(word('immediate', 'manual'), int, constant(null))
  expectTypeOf<StoredOf<typeof pace>>().toEqualTypeOf<'immediate' | 'manual' | number | null>()
  const open = withOthers(struct({ url: text, port: optional(int) }), any)
  expectTypeOf<StoredOf<typeof open>['url']>().toEqualTypeOf<string>()
  expectTypeOf<StoredOf<typeof open>['port']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<StoredOf<typeof open>['other']>().toEqualTypeOf<Json | undefined>()
  const change = partial(struct({ a: withDefault(text, 'x'), b: int }))
  expectTypeOf<InputOf<typeof change>>().toEqualTypeOf<{
    readonly a?: string
    readonly b?: number
  }>()
})

test('zero values, defaults and null for empty values complete the input', () => {
  const { Name, Kind, Height, Leaves, Labels, Seed } = fillDefaults({}, partial(plant))
  expect([Name, Kind, Height, Leaves, Labels, Seed]).toEqual(new Array(6).fill(undefined))
  const sent = { Name: null, Kind: null, Height: 4, Leaves: [{ Green: null }], Fruits: [] }
  const rest = { Labels: null, Notes: {}, Seed: '', Water: null, Draft: true, Nickname: 'x' }
  expect(fillDefaults({ ...sent, ...rest }, plant)).toEqual({
    Name: '',
    Kind: 'tree',
    Height: 4,
    Leaves: [{ Green: false }],
    Fruits: null,
    Labels: {},
    Notes: null,
    Seed: null,
    Nickname: 'x',
    Water: 'little',
  })
})
