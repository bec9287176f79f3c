import { compareBytewise } from '../../json/json.ts'
import type { Refusal } from '../../kernel/refusal.ts'
import type { TableDefinition } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, NamedRows, type WithWal } from '../mounts/mounts.ts'

/**
 * Named rows, one of which is built in. Reads return the built-in row even if it was never written.
 */
export class BuiltInRows<R extends WithWal> extends NamedRows<R> {
  readonly #name: string
  readonly #builtIn: R

  /**
   * @param name name of the built-in row
   * @param builtIn value of the built-in row until a write replaces it
   */
  constructor(
    table: TableDefinition<R, string>,
    refuseAbsent: () => Refusal,
    name: string,
    builtIn: R,
  ) {
    super(table, refuseAbsent, (name) => name)
    this.#name = name
    this.#builtIn = builtIn
  }

  override find(world: World, mount: Mount, name: string): R | undefined {
    return super.find(world, mount, name) ?? (name === this.#name ? this.#builtIn : undefined)
  }

  override names(world: World, mount: Mount): string[] {
    return [...new Set([...super.names(world, mount), this.#name])].sort(compareBytewise)
  }
}
