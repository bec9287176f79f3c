import type { JsonSchema } from './schema.ts'
import { kernelService } from './store.ts'
import { defineTable } from './table.ts'

/** World options of one service: switches that tests set (DESIGN section 6). */
export interface OptionsDefinition<Options extends object> {
  readonly service: string
  /** Object schema; unknown options are refused. */
  readonly schema: JsonSchema
  readonly defaults: Options
}

/** Options by service, every default filled in. */
export const optionRows = defineTable<object>({
  service: kernelService,
  name: 'options',
  schema: { type: 'object' },
})
