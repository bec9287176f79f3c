import type { JsonSchema } from '../../../state/kernel/schema.ts'
import { any, bool, list, map, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import type { InputOf } from '../../../state/kernel/shape/values.ts'
import { faultShape } from '../declare/fault-shapes.ts'
import { commonMembers } from '../declare/preset.ts'

const presetShape = struct({
  name: text,
  summary: described(text, 'Markdown with inline code'),
  service: described(text, 'API that fails, or `any`'),
  parameters: described(map(any), 'A JSON Schema, with defaults'),
  source: described(text, 'Citation of the rule that specifies the failure, or `extension`'),
  applied: described(bool, 'True while a fault, option or transition of the preset is in place'),
})
export type PresetView = Omit<InputOf<typeof presetShape>, 'parameters'> & {
  readonly parameters: JsonSchema
}

export const presetsShape = struct({ presets: list(presetShape) })

/**
 * The body with which a preset is applied. Members other than the common ones are parameters of the
 * preset.
 */
export const presetBodyShape = withOthers(struct(commonMembers), any)

/**
 * The effects of a preset. The effects are immediate, or deferred until the first request that the
 * body selects.
 */
export const appliedShape = struct({
  faults: list(faultShape),
  options: optional(described(map(map(any)), 'Current values by service')),
  pushes: optional(list(struct({ kind: text, id: text, to: text }))),
})
export type Applied = InputOf<typeof appliedShape>
