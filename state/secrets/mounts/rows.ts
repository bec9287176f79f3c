import { compareBytewise } from '../../json/json.ts'
import type { Refusal } from '../../kernel/refusal.ts'
import type { TableDefinition } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, nextWal, storagePrefix } from './mounts.ts'

/** A row that says when it was written: `written` of mounts.ts. */
export interface WithWal {
  readonly wal?: number
}

/** The rows that mounts keep under names in a table: roles, users, keys. */
export class NamedRows<R extends WithWal> {
  readonly #table: TableDefinition<R, string>
  readonly #refuseAbsent: () => Refusal
  readonly #normalizeName: (name: string) => string

  /**
   * @param refuseAbsent the refusal of reading what is not there
   * @param normalizeName a name as it is kept; in lower case unless given
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

  /** The key of a name in the table. */
  keyOf(mount: Mount, name: string): string {
    return storagePrefix(mount) + this.#normalizeName(name)
  }

  /** Returns the row of a name; undefined without one. */
  find(world: World, mount: Mount, name: string): R | undefined {
    return world.table(this.#table).get(this.keyOf(mount, name))
  }

  /** The same; refuses where there is nothing. */
  read(world: World, mount: Mount, name: string): R {
    const row = this.find(world, mount, name)
    if (row === undefined) throw this.#refuseAbsent()
    return row
  }

  /** The names of a mount, sorted. */
  names(world: World, mount: Mount): string[] {
    return world.table(this.#table).children(storagePrefix(mount)).sort(compareBytewise)
  }

  /** Keeps something under a name, as written now. */
  put(world: World, mount: Mount, name: string, row: R): void {
    world.write(() => {
      world.table(this.#table).put(this.keyOf(mount, name), { ...row, wal: nextWal(world) })
    })
  }

  /** Deletes what is there under a name; nothing is fine. */
  remove(world: World, mount: Mount, name: string): void {
    world.write(() => world.table(this.#table).delete(this.keyOf(mount, name)))
  }
}

/** The one row that each mount has in a table: its configuration. */
export class MountRow<R extends WithWal> {
  readonly #rows: NamedRows<R>
  readonly #name: string

  /** @param name what stands in the key behind the mount's prefix */
  constructor(table: TableDefinition<R, string>, refuseAbsent: () => Refusal, name = '') {
    this.#rows = new NamedRows(table, refuseAbsent)
    this.#name = name
  }

  /** That of a mount; undefined before there is one. */
  find(world: World, mount: Mount): R | undefined {
    return this.#rows.find(world, mount, this.#name)
  }

  /** The same; refuses where there is none. */
  read(world: World, mount: Mount): R {
    return this.#rows.read(world, mount, this.#name)
  }

  /** Keeps a whole one, as written now. */
  put(world: World, mount: Mount, row: R): void {
    this.#rows.put(world, mount, this.#name, row)
  }

  /** Takes that of a mount away; none is fine. */
  remove(world: World, mount: Mount): void {
    this.#rows.remove(world, mount, this.#name)
  }
}
