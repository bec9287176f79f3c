import { uuidFault } from '../../../state/scheduler/acl/uuids.ts'
import { rejected } from '../../../state/scheduler/refusals.ts'

/**
 * Refuses what cannot be an ID, as the reference's storage does (3b-scheduler-decisions.md section 10).
 *
 * @param what is looked up: `alloc`, `eval`, `deployment`, `node`
 */
export function checkId(what: string, id: string): string {
  const fault = uuidFault(id)
  if (fault === undefined) return id
  throw rejected(`${what} lookup failed: ${fault}`)
}
