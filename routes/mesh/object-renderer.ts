import { formatTimestamp } from '../../state/kernel/time.ts'
import { rowRendererWith } from '../http/declare/row-renderer.ts'

/** Member names that do not follow the general rule. */
const irregularNames: ReadonlyMap<string, string> = new Map([
  ['created_at', 'CreateTime'],
  ['expires_at', 'ExpirationTime'],
])

const acronyms: ReadonlyMap<string, string> = new Map([
  ['id', 'ID'],
  ['acls', 'ACLs'],
])

/** Returns the name of a member in the reference's objects: `CreateIndex` for `create_index`. */
function nameOf(member: string): string {
  const parts = member.split('_').map((part) => acronyms.get(part) ?? capitalize(part))
  return irregularNames.get(member) ?? parts.join('')
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** Renders rows as objects of the reference. */
export const objectRenderer = rowRendererWith({
  renderName: nameOf,
  time: formatTimestamp,
  timeRules: { format: 'date-time' },
  sparseTimes: true,
  sortedMaps: true,
})
