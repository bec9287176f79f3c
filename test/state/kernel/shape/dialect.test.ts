import { describe, expect, test } from 'vitest'
import { toDialect } from '../../../../state/kernel/shape/dialect.ts'
import {
  any,
  goList,
  int,
  list,
  map,
  nullable,
  text,
  translatedText,
  union,
  word,
} from '../../../../state/kernel/shape/kinds.ts'
import { struct, vendorNamed, withOthers } from '../../../../state/kernel/shape/members.ts'

const engine = word('kv', { orch: 'kubernetes' })
const mount = struct({
  type: engine,
  title: text,
  driver: translatedText({ mock: 'mock_driver' }),
  orch_role: vendorNamed('kubernetes_role', nullable(engine)),
  tags: list(text),
  byName: map(engine, translatedText({ orch: 'k8s' })),
  free: any,
})
const fields = goList(struct({ Name: translatedText({ b: 'z' }) }), { orderedBy: 'Name' })

const vendor = (value: unknown, shape: Parameters<typeof toDialect>[1]) =>
  toDialect(value, shape, 'vendor')

describe('in the vendor dialect', () => {
  test('names of the API are translated, names of callers are not', () => {
    const value = {
      type: 'orch',
      title: 'orch',
      driver: 'mock',
      orch_role: 'orch',
      tags: ['orch'],
      byName: { orch: 'orch', mine: 'kv', ['__proto__']: 'kv' },
      free: { orch_role: 'orch' },
      unknown: 'orch',
    }
    const byName = { k8s: 'kubernetes', mine: 'kv', ['__proto__']: 'kv' }
    const { orch_role: _, ...rest } = value
    expect(vendor(value, mount)).toEqual({
      ...rest,
      type: 'kubernetes',
      driver: 'mock_driver',
      kubernetes_role: 'kubernetes',
      byName,
    })
  })

  test('words and members inside unions and open objects are also translated', () => {
    const either = union(
      engine,
      list(engine),
      struct({ of: engine }),
      withOthers(struct({}), engine),
    )
    expect(vendor('orch', either)).toBe('kubernetes')
    expect(vendor(['orch'], either)).toEqual(['kubernetes'])
    expect(vendor({ of: 'orch' }, either)).toEqual({ of: 'kubernetes' })
    expect(vendor({ a: 'orch' }, withOthers(struct({}), engine))).toEqual({ a: 'kubernetes' })
    expect(vendor(5, either)).toBe(5)
  })

  test('ordered lists are sorted by the translated names', () => {
    expect(vendor([{ Name: 'b' }, { Name: 'c' }], fields)).toEqual([{ Name: 'c' }, { Name: 'z' }])
  })

  test('sparse objects lack their empty members', () => {
    const sparse = struct('S', { a: text, b: int, c: list(text) }, { sparse: true })
    expect(vendor({ a: '', b: 0, c: [] }, sparse)).toEqual({})
    expect(vendor({ a: 'x', b: 1, c: ['y'] }, sparse)).toEqual({ a: 'x', b: 1, c: ['y'] })
  })

  test('null stays', () => {
    expect(vendor({ orch_role: null, tags: null }, mount)).toEqual({
      kubernetes_role: null,
      tags: null,
    })
  })
})

test('the neutral dialect returns the value itself', () => {
  const value = { type: 'orch' }
  expect(toDialect(value, mount, 'neutral')).toBe(value)
})

test('an object can name the shape whose declarations apply', () => {
  const other = struct({ value: translatedText({ a: 'b' }) })
  const shape = struct(
    'S',
    { kind: text, value: text },
    {
      as: ({ kind }) => (kind === 'other' ? other : undefined),
    },
  )
  expect(toDialect({ kind: 'x', value: 'a' }, shape, 'vendor')).toEqual({ kind: 'x', value: 'a' })
  expect(toDialect({ kind: 'other', value: 'a' }, shape, 'vendor')).toEqual({
    kind: 'other',
    value: 'b',
  })
})
