import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type PackedWorld, unpackTrace } from '../../../routes/trace/packed.ts'
import { applyPatch, isEmptyPatch, patchOf } from '../../../routes/trace/row-patch.ts'
import { JsonNumber } from '../../../state/kernel/json.ts'
import { tracedWorld, traceOf } from '../../support/traces.ts'

const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 0, 1, 'a', 'b'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '0', '1', '__proto__'), tie('value')),
  ),
})).value
const rows = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), values)

describe('behaviour/program#traces: patches of rows', () => {
  test('a patch turns the row before into the row after, and leaves the row before as it is', () => {
    fc.assert(
      fc.property(rows, rows, (before, after) => {
        const copy = structuredClone(before)
        const patch = patchOf(before, after)
        const sent = patch && JSON.parse(JSON.stringify(patch))
        if (sent !== undefined) expect(applyPatch(before, sent)).toEqual(after)
        expect(before).toEqual(copy)
      }),
      { numRuns: 500 },
    )
  })

  test('a row that was written again without a change has an empty patch', () => {
    fc.assert(
      fc.property(rows, (row) => {
        expect(isEmptyPatch(patchOf(row, structuredClone(row)) ?? {})).toBe(true)
      }),
    )
  })

  test('a patch has only members that differ', () => {
    const before = {
      id: 'a',
      tags: ['x', 'y'],
      meta: { one: 1, two: 2 },
      size: new JsonNumber('1.0'),
    }
    const after = {
      ...before,
      tags: ['x', 'z', 'w'],
      meta: { two: 2 },
      size: new JsonNumber('1.0'),
    }
    expect(patchOf(before, after)).toEqual({
      set: { tags: { '1': 'z', '2': 'w' } },
      unset: [['meta', 'one']],
    })
  })

  test('a list that becomes an object, and values of many levels, have no patch', () => {
    const nested = (inner: object) => {
      let value: object = inner
      for (let level = 0; level < 100; level += 1) value = { value }
      return value
    }
    expect(patchOf({ a: [1] }, { a: { b: 1 } })).toBeUndefined()
    expect(patchOf(nested({ a: 1 }), nested({ a: 2 }))).toBeUndefined()
  })

  test('the file derives the row before from the preceding steps', () => {
    const change = { table: 'mesh.keys', key: 'a' }
    const time = { ms: 1, at: '2026-01-01T00:00:00Z' }
    const world: PackedWorld = {
      ...tracedWorld(),
      start: { 'mesh.keys': { a: { n: 1, old: true } } },
      steps: [
        {
          kind: 'changes',
          ...time,
          changes: [{ ...change, patch: { set: { n: 2 }, unset: [['old']] } }],
        },
        { kind: 'changes', ...time, changes: [change] },
        { kind: 'changes', ...time, changes: [{ ...change, after: { n: 3 } }] },
      ],
    }
    const trace = unpackTrace({ ...traceOf(), worlds: [world] })
    expect(trace.worlds[0]?.steps.map((step) => step.kind === 'changes' && step.changes)).toEqual([
      [{ ...change, before: { n: 1, old: true }, after: { n: 2 } }],
      [{ ...change, before: { n: 2 } }],
      [{ ...change, after: { n: 3 } }],
    ])
  })
})
