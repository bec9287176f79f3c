import type { Change } from './commits.ts'
import type { Row } from './table.ts'

/** A write to one of the tables of a rule. */
interface ChangeOf<R extends Row> extends Change {
  readonly before: R | undefined
  readonly after: R | undefined
}

/**
 * A rule that must hold in a world after each commit that writes to some tables: something that
 * other rows say already, and that is kept because it is told or watched (behaviour/program#store). Whoever
 * writes to those tables need not think of it.
 */
export interface Rule<W> {
  readonly name: string
  readonly tables: readonly { readonly id: string }[]
  // Written as a method, so that a rule about rows of some tables is one about any.
  apply(world: W, changes: readonly Change[]): void
}

/**
 * Declares a rule: `defineRule({ name, tables, hold })`.
 *
 * @param rule `hold` makes it hold again after these changes, in the order in which they were made;
 *   what it writes is part of the same transaction. It may throw: then nothing of that stays
 */
export function defineRule<W, const D extends { readonly id: string; readonly row?: Row }>(rule: {
  readonly name: string
  readonly tables: readonly D[]
  apply(world: W, changes: readonly ChangeOf<NonNullable<D['row']>>[]): void
}): Rule<W> {
  return rule as Rule<W>
}

/** The rules of a list of services, by the tables that they are about. */
export class Rules<W> {
  readonly #rules: readonly Rule<W>[]
  /** The places of a table's rules among all. */
  readonly #indexesByTable = new Map<string, number[]>()

  constructor(services: readonly { readonly rules?: readonly Rule<W>[] }[]) {
    this.#rules = services.flatMap(({ rules }) => rules ?? [])
    for (const [index, { tables }] of this.#rules.entries()) {
      for (const { id } of tables) {
        const indexes = this.#indexesByTable.get(id)
        if (indexes === undefined) this.#indexesByTable.set(id, [index])
        else indexes.push(index)
      }
    }
  }

  /**
   * Makes every rule hold in a world that is about what was written, each once and in the order of declaration:
   * a rule sees what those before it write, and nothing that comes after.
   *
   * @param log the transaction's changes, which grow while rules write
   * @param from where the changes begin after which nothing has held yet
   */
  apply(world: W, log: readonly Change[], from: number): void {
    const changesByRule: Change[][] = []
    let read = from
    for (let index = 0; index < this.#rules.length; index++) {
      for (; read < log.length; read++) this.#sort(log[read], changesByRule)
      const changes = changesByRule[index]
      if (changes !== undefined) this.#rules[index]?.apply(world, changes)
    }
  }

  #sort(change: Change | undefined, changesByRule: Change[][]): void {
    const indexes = change === undefined ? undefined : this.#indexesByTable.get(change.table)
    if (change === undefined || indexes === undefined) return
    for (const index of indexes) {
      const changes = changesByRule[index]
      if (changes === undefined) changesByRule[index] = [change]
      else changes.push(change)
    }
  }
}
