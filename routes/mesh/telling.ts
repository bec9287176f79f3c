import { formatTimestamp } from '../../state/kernel/time.ts'
import { rowRendererWith } from '../http/telling.ts'

/** Names that are not made by rule. */
const names: ReadonlyMap<string, string> = new Map([
  ['created_at', 'CreateTime'],
  ['expires_at', 'ExpirationTime'],
])

const words: ReadonlyMap<string, string> = new Map([
  ['id', 'ID'],
  ['acls', 'ACLs'],
])

/** The name of a member in the reference's objects: `CreateIndex` of `create_index`. */
function nameOf(member: string): string {
  const parts = member.split('_').map((part) => words.get(part) ?? capital(part))
  return names.get(member) ?? parts.join('')
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** Tells rows as the objects of the reference. */
export const telling = rowRendererWith({
  renderName: nameOf,
  time: formatTimestamp,
  timeRules: { format: 'date-time' },
  sparseTimes: true,
  sortedMaps: true,
})
