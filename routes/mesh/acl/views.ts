import type { MeshDialect } from '../dialect.ts'

/** Describes what rows of the ACL system have in common. */
interface Placed {
  readonly hash: string
  readonly namespace: string
  readonly create_index: number
  readonly modify_index: number
}

/** Returns what every ACL object tells at its end. */
export function placeOf(row: Placed, dialect: MeshDialect): object {
  return {
    Hash: row.hash,
    CreateIndex: row.create_index,
    ModifyIndex: row.modify_index,
    ...partitionOf(dialect),
    Namespace: row.namespace,
  }
}

/** The partition, where the dialect tells it. */
export function partitionOf(dialect: MeshDialect): object {
  return dialect.partition ? { Partition: 'default' } : {}
}
