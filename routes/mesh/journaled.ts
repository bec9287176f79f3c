import { type MeshCaller, meshCaller } from '../../state/mesh/acl/callers.ts'
import { aclPolicies, aclRoles } from '../../state/mesh/acl/tables.ts'
import type { JournaledApi } from '../http/journal-hooks/request-record.ts'

/** What the journal has to know of requests of this API. */
export const journaled: Omit<JournaledApi, 'name'> = {
  secretHeaders: ['x-mesh-token', 'x-consul-token', 'authorization'],
  secretParameters: ['token'],
  findCaller: (token, world) => meshCaller(world, token),
  describeCaller(caller, world) {
    // Callers of this API are noted with it alone.
    const { token } = caller as MeshCaller
    if (token === undefined) return {}
    const policies = token.policies.map((id) => world.table(aclPolicies).get(id)?.name ?? id)
    const roles = token.roles.map((id) => world.table(aclRoles).get(id)?.name ?? id)
    return { name: token.description, policies: [...policies, ...roles] }
  },
}
