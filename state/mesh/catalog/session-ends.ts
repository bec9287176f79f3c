import { defineRule } from '../../kernel/store/rules.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { endSession } from '../kv/sessions.ts'
import { type MeshSession, meshSessions } from '../kv/tables.ts'
import { type CatalogCheck, catalogChecks, catalogNodes, keyPart, nodeKey } from './tables.ts'

/** Ends the sessions of the nodes and checks that fail or are removed (behaviour/mesh#sessions). */
export const sessionRule = defineRule<World, typeof catalogChecks | typeof catalogNodes>({
  name: 'sessions end with their nodes and checks',
  tables: [catalogChecks, catalogNodes],
  apply(world, changes) {
    const ended = new Set<MeshSession>()
    const sessions = world.table(meshSessions).index('byCheck')
    for (const { table, key, before, after } of changes) {
      if (table === catalogNodes.id) {
        if (after === undefined) for (const each of sessions.rows(`${key}/`)) ended.add(each)
        continue
      }
      const check = (after ?? before) as CatalogCheck
      if (after !== undefined && check.status !== 'critical') continue
      const prefix = `${nodeKey(check.node)}/${keyPart(check.check_id)}/`
      for (const each of sessions.rows(prefix)) ended.add(each)
    }
    for (const session of ended) endSession(world, session)
  },
})
