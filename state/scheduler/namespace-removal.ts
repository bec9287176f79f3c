import { quoteGo } from '../go/text.ts'
import type { World } from '../kernel/worlds/world.ts'
import { hasEnded } from './cluster/model/allocation-status.ts'
import { allocations } from './cluster/model/tables.ts'
import { namespacePrefix } from './keys.ts'
import { message, refuse } from './messages.ts'
import { defaultNamespace, findNamespace, namespaces } from './namespaces.ts'
import { optionsOf } from './options.ts'
import { jobs } from './records/tables.ts'
import { failedChecks, multiError } from './validation/errors.ts'
import { variables } from './variables/tables.ts'

/**
 * Deletes a namespace (behaviour/scheduler#namespaces). Dead jobs in the namespace remain.
 *
 * @throws Refusal 500 for the default namespace, for a namespace that does not exist, and for a
 *   namespace in use
 */
export function deleteNamespace(world: World, name: string): void {
  if (name === defaultNamespace) throw refuse('namespace-default')
  if (findNamespace(world, name) === undefined) throw refuse('deleted-namespace-not-found')
  const errors = usageErrors(world, name)
  if (errors.length > 0) throw refuse('namespace-in-use', { errors: multiError(errors) })
  world.write(() => {
    world.table(namespaces).delete(name)
  })
}

/** Returns one message for each kind of object that still uses the namespace. */
function usageErrors(world: World, name: string) {
  const params = { namespace: quoteGo(name), region: optionsOf(world).region }
  const prefix = namespacePrefix(name)
  const hasLiveJobs = hasRow(world.table(jobs).rows(prefix), ({ Status }) => Status !== 'dead')
  const hasLiveAllocations = hasRow(
    world.table(allocations).rows(),
    (each) => each.Namespace === name && !hasEnded(each),
  )
  const hasVariables = hasRow(world.table(variables).rows(prefix), () => true)
  return failedChecks(
    hasLiveJobs && message('namespace-has-jobs', params),
    hasLiveAllocations && message('namespace-has-allocations', params),
    hasVariables && message('namespace-has-variables', params),
  )
}

function hasRow<Row>(rows: Iterable<Row>, matches: (row: Row) => boolean): boolean {
  for (const row of rows) if (matches(row)) return true
  return false
}
