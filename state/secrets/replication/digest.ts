import { createHash } from 'node:crypto'
import { diffSnapshots } from '../../kernel/store/diff.ts'
import type { StoreSnapshot } from '../../kernel/store/open-table.ts'
import type { Row } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { replicatedTables } from './feed.ts'

const digestBits = 160n
const emptySnapshot: StoreSnapshot = { tables: new Map(), indexes: new Map(), sequence: 0 }

/**
 * The `merkle_root` of a world. Equal replicated data have equal digests, regardless of the writes
 * that led to them. The digest is a sum of row hashes, so each call hashes only the rows that have
 * changed since the previous call.
 */
export class ReplicationDigest {
  readonly #world: World
  #sum = 0n
  #summedSnapshot = emptySnapshot

  constructor(world: World) {
    this.#world = world
  }

  /** Returns the digest as 40 hexadecimal digits. */
  root(): string {
    const snapshot = this.#world.store.snapshot()
    const tables = replicatedTables(this.#world)
    for (const { table, key, before, after } of diffSnapshots(this.#summedSnapshot, snapshot)) {
      if (!tables.has(table)) continue
      if (before !== undefined) this.#sum -= hashOf(table, key, before)
      if (after !== undefined) this.#sum += hashOf(table, key, after)
    }
    this.#summedSnapshot = snapshot
    return BigInt.asUintN(Number(digestBits), this.#sum).toString(16).padStart(40, '0')
  }
}

function hashOf(table: string, key: string, row: Row): bigint {
  // The write-ahead position of a row may differ between clusters.
  const content = 'wal' in row ? { ...row, wal: undefined } : row
  const text = `${table}\0${key}\0${JSON.stringify(content)}`
  return BigInt(`0x${createHash('sha1').update(text).digest('hex')}`)
}
