import type { TableDefinition } from '../kernel/store/table.ts'
import type { World } from '../kernel/worlds/world.ts'
import { nextKey } from './creation-order.ts'
import { nextNewestFirstKey } from './newest-first.ts'

/**
 * Functions on the rows of a table in which each row belongs to an owner. Lists are in key order.
 */
export interface OwnedRows<R extends object> {
  of(world: World, owner: string): R[]
  withId(world: World, id: string): R | undefined
  /**
   * Inserts a row, or replaces the stored row that has the same id, and returns the row. Must run
   * inside a transaction.
   */
  put(world: World, row: R): R
  /** Deletes a row, if it exists. Must run inside a transaction. */
  drop(world: World, row: { readonly id: string }): void
  /** Deletes all rows of an owner. Must run inside a transaction. */
  dropAll(world: World, owner: string): void
  /** Moves all rows of the owner `before` to `owner`. Must run inside a transaction. */
  move(world: World, before: string, owner: string): void
}

/**
 * Returns functions on a table with the keys `<owner>/<number>`. `put` numbers new rows so that
 * lists, which are in key order, have the given `order`. `member` is the name of the row's member
 * that contains the owner, such as `organization`.
 */
export function ownedRows<const Member extends string, R extends OwnedRow<Member>>(
  definition: TableDefinition<R, 'byId'>,
  member: Member,
  order: 'oldest first' | 'newest first' = 'oldest first',
): OwnedRows<R> {
  const tableOf = (world: World) => world.table(definition)
  return {
    of: (world, owner) => Array.from(tableOf(world).rows(`${owner}/`)),
    withId: (world, id) => tableOf(world).index('byId').get(id),
    put(world, row) {
      const table = tableOf(world)
      const owner = row[member]
      const newKey = () =>
        order === 'newest first' ? nextNewestFirstKey(table, owner) : nextKey(table, `${owner}/`)
      table.put(table.index('byId').keyOf(row.id) ?? newKey(), row)
      return row
    },
    drop(world, { id }) {
      const table = tableOf(world)
      const key = table.index('byId').keyOf(id)
      if (key !== undefined) table.delete(key)
    },
    dropAll: (world, owner) => void tableOf(world).deleteAll(`${owner}/`),
    move(world, before, owner) {
      const table = tableOf(world)
      for (const [key, row] of Array.from(table.entries(`${before}/`))) {
        table.delete(key)
        table.put(owner + key.slice(before.length), { ...row, [member]: owner })
      }
    },
  }
}

type OwnedRow<Member extends string> = { readonly id: string } & Readonly<Record<Member, string>>

/**
 * Returns a function that looks up a row of a table by its name in an organization, and that
 * returns undefined if no row has the name. The table must have an index `byName` with keys of the
 * form `<organization>/<name>`.
 */
export function lookupByName<R extends object>(definition: TableDefinition<R, 'byName'>) {
  return (world: World, organization: string, name: string): R | undefined =>
    world.table(definition).index('byName').get(`${organization}/${name}`)
}
