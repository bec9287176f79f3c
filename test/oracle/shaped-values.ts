import fc from 'fast-check'
import type { Field, Shape, StructShape } from '../../state/kernel/shape/kinds.ts'

/** Values that members of a name are tried with, where any value would rarely mean something. */
export type ValuesByName = Readonly<Record<string, readonly unknown[]>>

/** Objects and lists deeper than this are not made. */
const deepest = 5

/** Values of a shape, mostly such as fit it, with the vendor's names. */
export function valuesOf(shape: Shape, byName: ValuesByName, depth = 0): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 40, arbitrary: fittingOf(shape, byName, depth) },
    { weight: 1, arbitrary: fc.constantFrom(null, 3, 'x', true, [], {}) },
  )
}

function fittingOf(shape: Shape, byName: ValuesByName, depth: number): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case 'bool':
      return fc.boolean()
    case 'word':
      return fc.constantFrom(...shape.words.map((word) => shape.vendor?.[word] ?? word), 'zz')
    case 'constant':
      return fc.constant(shape.value)
    case 'time':
      return fc.constantFrom('2031-01-01T00:00:00Z', '2001-01-01T00:00:00Z')
    case 'bytes':
      return fc.constantFrom('YQ==', '', '!')
    case 'int':
    case 'uint':
    case 'float':
      return fc.constantFrom(1, 2, 0, -1)
    case 'duration':
      return fc.constantFrom(1_000_000_000, 60_000_000_000, 0, '10s', '1h')
    case 'nullable':
      return fittingOf(shape.to, byName, depth)
    case 'union':
      return fc.oneof(...shape.of.map((one) => fittingOf(one, byName, depth)))
    case 'list':
      return depth > deepest
        ? fc.constant([])
        : fc.array(valuesOf(shape.of, byName, depth + 1), { maxLength: 2 })
    case 'map':
      return depth > deepest
        ? fc.constant({})
        : fc.dictionary(fc.constantFrom('a', 'b', 'a b'), valuesOf(shape.of, byName, depth + 1), {
            maxKeys: 2,
          })
    case 'struct':
      return depth > deepest ? fc.constant({}) : objectsOf(shape, byName, depth)
    default:
      return fc.constantFrom('a', 'b', 'x-1', '')
  }
}

/** Objects with a few of the members of a shape. */
export function objectsOf(
  { fields }: StructShape,
  byName: ValuesByName,
  depth = 0,
): fc.Arbitrary<object> {
  const members = membersOf(fields)
    // Of those that have no values nothing is ever said.
    .filter(([name]) => byName[name]?.length !== 0)
    .map(([name, field]) => [name, membersValues(name, field, byName, depth)] as const)
  if (members.length === 0) return fc.constant({})
  return fc
    .subarray(members, {
      minLength: Math.min(1, members.length),
      maxLength: Math.min(4, members.length),
    })
    .chain((some) => fc.record(Object.fromEntries(some)))
}

function membersOf(fields: Readonly<Record<string, Field>>): readonly (readonly [string, Field])[] {
  return Object.entries(fields).map(([name, field]) => [field.vendor ?? name, field])
}

function membersValues(
  name: string,
  { shape }: Field,
  byName: ValuesByName,
  depth: number,
): fc.Arbitrary<unknown> {
  const named = byName[name]
  return named === undefined ? valuesOf(shape, byName, depth + 1) : fc.constantFrom(...named)
}

/** Queries of a few declared parameters. */
export function queriesOf(query: unknown, byName: ValuesByName): fc.Arbitrary<string> {
  const fields = isStruct(query) ? Object.keys(query.fields) : []
  const names = [...fields, ...Object.keys(byName)]
  if (names.length === 0) return fc.constant('')
  const pair = fc
    .constantFrom(...names)
    .chain((name) =>
      fc
        .constantFrom(...(byName[name] ?? ['', '1', '0', 'true', 'x']))
        .map((value) => `${name}=${encodeURIComponent(String(value)).replaceAll('%24', '$')}`),
    )
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    {
      weight: 2,
      arbitrary: fc.array(pair, { minLength: 1, maxLength: 2 }).map((all) => `?${all.join('&')}`),
    },
  )
}

function isStruct(declared: unknown): declared is StructShape {
  return typeof declared === 'object' && declared !== null && 'fields' in declared
}
