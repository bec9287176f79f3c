import { any, int, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import type { StoredOf } from '../../../state/kernel/shape/values.ts'
import { instant } from '../../http/declare/shape-or-schema.ts'

const anyRow = withOthers(struct({}), any)

/**
 * A state document of any content. The OpenAPI document shows the declarations of the services
 * instead.
 */
export const stateDocumentShape = withOthers(struct({}), any)

export const snapshotShape = struct({
  id: text,
  world: text,
  takenAt: described(instant, "Time on the world's clock"),
  sequence: described(int, "Position in the world's change feed"),
})
/** A retained snapshot in a reply. The time is in RFC 3339. */
export type SnapshotView = StoredOf<typeof snapshotShape>

/** A row before and after a change. */
export const rowDifferenceShape = struct({
  table: described(text, 'service.table'),
  key: text,
  before: optional(described(anyRow, 'Absent if the row was added')),
  after: optional(described(anyRow, 'Absent if the row was deleted')),
})
