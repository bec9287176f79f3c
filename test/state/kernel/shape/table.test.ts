import { expect, expectTypeOf, test } from 'vitest'
import { name, nullable, text, uint } from '../../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../../state/kernel/shape/schema.ts'
import { defineTable } from '../../../../state/kernel/store/table.ts'

const shape = struct({ id: name, owner: nullable(text), uses: uint, note: optional(text) })

test('a table takes type and schema of its rows from their shape', () => {
  const things = defineTable({
    service: 'garden',
    name: 'things',
    secrets: 'none',
    shape,
    indexes: { byOwner: ({ owner, id }) => (owner === null ? undefined : `${owner}/${id}`) },
  })
  expectTypeOf<NonNullable<typeof things.row>>().toEqualTypeOf<{
    readonly id: string
    readonly owner: string | null
    readonly uses: number
    readonly note?: string
  }>()
  expect(things.schema).toEqual(storedSchema(shape))
  expect([things.id, things.indexes.byOwner({ id: 'a', owner: 'o', uses: 0 }, 'a')]).toEqual([
    'garden.things',
    'o/a',
  ])
})
