import { compareBytewise } from '../../json/json.ts'
import type { Refusal } from '../../kernel/refusal.ts'
import type { TableDefinition } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, nextWal, storagePrefix } from './mounts.ts'

/** A row with the position of its last write: `walField` of mounts.ts. */
export interface WithWal {
  readonly wal?: number
}

/** Access to rows that mounts store under names in a table: roles, users, keys. */
export class NamedRows<R extends WithWal> {
  readonly #table: TableDefinition<R, string>
  readonly #refuseAbsent: () => Refusal
  readonly #normalizeName: (name: string) => string

  /**
   * @param refuseAbsent returns the refusal for reading a missing row
   * @param normalizeName returns the stored form of a name; lower case by default
   */
  constructor(
    table: TableDefinition<R, string>,
    refuseAbsent: () => Refusal,
    normalizeName = (name: string) => name.toLowerCase(),
  ) {
    this.#table = table
    this.#refuseAbsent = refuseAbsent
    this.#normalizeName = normalizeName
  }

  /** Returns the row key of a name. */
  keyOf(mount: Mount, name: string): string {
    return storagePrefix(mount) + this.#normalizeName(name)
  }

  /** Returns the row of a name; undefined if there is none. */
  find(world: World, mount: Mount, name: string): R | undefined {
    return world.table(this.#table).get(this.keyOf(mount, name))
  }

  /** Returns the row of a name; refuses if there is none. */
  read(world: World, mount: Mount, name: string): R {
    const row = this.find(world, mount, name)
    if (row === undefined) throw this.#refuseAbsent()
    return row
  }

  /** Returns the names of a mount, sorted. */
  names(world: World, mount: Mount): string[] {
    return world.table(this.#table).children(storagePrefix(mount)).sort(compareBytewise)
  }

  /** Stores a row under a name, with the current write position. */
  put(world: World, mount: Mount, name: string, row: R): void {
    world.write(() => {
      world.table(this.#table).put(this.keyOf(mount, name), { ...row, wal: nextWal(world) })
    })
  }

  /** Deletes the row of a name, if any. */
  remove(world: World, mount: Mount, name: string): void {
    world.write(() => world.table(this.#table).delete(this.keyOf(mount, name)))
  }
}

/** Access to the single row of each mount in a table, such as its configuration. */
export class MountRow<R extends WithWal> {
  readonly #rows: NamedRows<R>
  readonly #name: string

  /**
   * @param name the part of the key after the mount's prefix
   */
  constructor(table: TableDefinition<R, string>, refuseAbsent: () => Refusal, name = '') {
    this.#rows = new NamedRows(table, refuseAbsent)
    this.#name = name
  }

  /** Returns the row of a mount; undefined if there is none. */
  find(world: World, mount: Mount): R | undefined {
    return this.#rows.find(world, mount, this.#name)
  }

  /** Returns the row of a mount; refuses if there is none. */
  read(world: World, mount: Mount): R {
    return this.#rows.read(world, mount, this.#name)
  }

  /** Stores the row of a mount, with the current write position. */
  put(world: World, mount: Mount, row: R): void {
    this.#rows.put(world, mount, this.#name, row)
  }

  /** Deletes the row of a mount, if any. */
  remove(world: World, mount: Mount): void {
    this.#rows.remove(world, mount, this.#name)
  }
}
