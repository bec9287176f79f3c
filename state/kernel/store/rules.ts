import type { Change } from './commits.ts'
import type { Row } from './table.ts'

/** A write to one of the tables of a rule. */
interface ChangeOf<R extends Row> extends Change {
  readonly before: R | undefined
  readonly after: R | undefined
}

/**
 * An invariant that is restored at the end of each transaction that writes to certain tables. A
 * rule updates derived rows, so code that writes to those tables need not know about the derived
 * rows. Derived rows are stored because clients read or watch them (behaviour/program#store).
 */
export interface Rule<W> {
  readonly name: string
  readonly tables: readonly { readonly id: string }[]
  // Declared as a method, so that a rule about specific rows is assignable to a rule about any
  // rows.
  apply(world: W, changes: readonly Change[]): void
}

/**
 * Declares a rule: `defineRule({ name, tables, apply })`.
 *
 * @param rule `apply` restores the invariant after `changes`, which are in the order of the writes.
 *   The writes of `apply` are part of the same transaction; an exception of `apply` rolls the
 *   transaction back
 */
export function defineRule<W, const D extends { readonly id: string; readonly row?: Row }>(rule: {
  readonly name: string
  readonly tables: readonly D[]
  apply(world: W, changes: readonly ChangeOf<NonNullable<D['row']>>[]): void
}): Rule<W> {
  return rule as Rule<W>
}

/** The rules of several services. Each rule is found by the tables whose writes trigger it. */
export class Rules<W> {
  readonly #rules: readonly Rule<W>[]
  /** Positions of a table's rules in the list of all rules, by the table's id. */
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
   * Applies every rule that concerns the written tables, each once and in the order of declaration.
   * A rule sees the writes of earlier rules, but not the writes of later rules.
   *
   * @param log changes of the transaction; writes of the rules are appended
   * @param from position of the first change that no rule has seen
   */
  apply(world: W, log: readonly Change[], from: number): void {
    const changesByRule: Change[][] = []
    let read = from
    for (let index = 0; index < this.#rules.length; index++) {
      for (; read < log.length; read++) this.#groupByRule(log[read], changesByRule)
      const changes = changesByRule[index]
      if (changes !== undefined) this.#rules[index]?.apply(world, changes)
    }
  }

  #groupByRule(change: Change | undefined, changesByRule: Change[][]): void {
    const indexes = change === undefined ? undefined : this.#indexesByTable.get(change.table)
    if (change === undefined || indexes === undefined) return
    for (const index of indexes) {
      const changes = changesByRule[index]
      if (changes === undefined) changesByRule[index] = [change]
      else changes.push(change)
    }
  }
}
