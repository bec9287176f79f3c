import type { Table } from '../store/open-table.ts'
import type { Store } from '../store/store.ts'
import { controlOptions } from './control-options.ts'
import { type OptionsDefinition, optionRows } from './options.ts'

/**
 * Options of a world, stored as one row per service. The control plane has a row only after its
 * options were changed.
 */
export class WorldOptions {
  readonly #rows: Table<object>
  readonly #definitions: readonly OptionsDefinition<object>[]

  /**
   * @param definitions options of the world's services
   */
  constructor(store: Store, definitions: readonly OptionsDefinition<object>[]) {
    this.#rows = store.table(optionRows)
    this.#definitions = definitions
  }

  /**
   * Returns a service's options; an option that was never set has its default. The read is not
   * observed.
   */
  of<O extends object>(definition: OptionsDefinition<O>): O {
    const row = this.#rows.peek(definition.service)
    return (row ?? definition.defaults) as O
  }

  /**
   * Creates the options row of every service: the defaults, with `changes` applied. Creates the
   * control plane's row only if `changes` contains its options.
   */
  createRows(changes: Readonly<Record<string, object>>): void {
    for (const definition of this.#definitions) this.#put(definition, changes[definition.service])
    this.#change(controlOptions, changes)
  }

  /**
   * Changes the options of services that `changes` contains; all other options stay. The values are
   * already validated.
   */
  change(changes: Readonly<Record<string, object>>): void {
    for (const definition of this.#definitions) this.#change(definition, changes)
    this.#change(controlOptions, changes)
  }

  #change(definition: OptionsDefinition<object>, changes: Readonly<Record<string, object>>): void {
    const change = changes[definition.service]
    if (change !== undefined) this.#put(definition, change)
  }

  #put(definition: OptionsDefinition<object>, change: object | undefined): void {
    const row = { ...this.of(definition), ...change }
    this.#rows.put(definition.service, row)
  }
}
