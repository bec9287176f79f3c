import { memoize } from '../memoize.ts'
import type { JsonSchema } from '../schema.ts'
import { fillDefaults } from '../shape/fill-defaults.ts'
import type { StructShape } from '../shape/kinds.ts'
import { described, withDefault } from '../shape/members.ts'
import { inputSchema } from '../shape/schema.ts'
import type { InputOf, StoredOf } from '../shape/values.ts'
import { defineTable, kernelService } from '../store/table.ts'

/**
 * Options of a world that belong to one service: switches that tests set
 * (behaviour/program#fresh-world).
 */
export interface OptionsDefinition<Options extends object> {
  readonly service: string
  /** Object schema; unknown options are refused. */
  readonly schema: JsonSchema
  readonly defaults: Options
}

/**
 * Declares an option with its default. The description appears in the reference of options and in
 * the inspector.
 */
export function option<const S extends object>(
  shape: S,
  defaultValue: Parameters<typeof withDefault<S>>[1],
  description: string,
): ReturnType<typeof withDefault<S>> {
  return withDefault<S>(described(shape, description), defaultValue)
}

/** Declares the options of a service. Every member of the shape has a default. */
export function defineOptions<const S extends StructShape>(
  service: string,
  shape: S,
): OptionsDefinition<StoredOf<S> & object> {
  const schema = memoize(() => inputSchema(shape))
  const defaults = memoize(() => fillDefaults({} as InputOf<S>, shape) as StoredOf<S> & object)
  return {
    service,
    get schema() {
      return schema()
    },
    get defaults() {
      return defaults()
    },
  }
}

/** Options by service. An option that was never set has its default. */
export const optionRows = defineTable<object>()({
  service: kernelService,
  name: 'options',
  secrets: 'none',
  schema: { type: 'object' },
})
