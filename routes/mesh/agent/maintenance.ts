import { parseGoBoolean } from '../../../state/go/booleans.ts'
import { quoteGo } from '../../../state/go/text.ts'
import { text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { MaintenanceMode } from '../../../state/mesh/agent/maintenance.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { parameters } from '../../http/declare/parameters.ts'
import type { MeshContext } from '../operation.ts'

/** Parameters of requests that turn a maintenance mode on or off. */
export const maintenanceParameters = parameters({
  enable: described(text, 'A boolean: whether the mode is on'),
  reason: described(text, 'Notes of the check that marks the mode'),
})

/** Parses the maintenance mode that a request sets. */
export function readMaintenance({ query }: MeshContext): MaintenanceMode {
  const enable = query.value('enable')
  if (enable === undefined) throw refuse('maintenance-unsaid')
  const isOn = parseGoBoolean(enable)
  if (isOn === undefined) throw refuse('maintenance-unreadable', { quoted: quoteGo(enable) })
  return { isOn, reason: query.value('reason') ?? '' }
}
