import type { Shape } from '../kernel/shape/kinds.ts'
import { defineTable, type TableOptions } from '../kernel/store/table.ts'

/** Declares a table of the secrets service by its name, the shape of its rows and its secrets. */
export function secretsTable<
  const S extends Shape,
  const Name extends string,
  const Index extends string = never,
>(name: Name, shape: S, options: TableOptions<S, Index>) {
  return defineTable<S, Name, Index>({ service: 'secrets', name, shape, ...options })
}
