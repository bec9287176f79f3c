import { constant, list, text, uint, uintOf, word } from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { MeshSession } from '../../../state/mesh/kv/tables.ts'
import { defaultNamespace, namespaceNamed } from '../../../state/mesh/namespaces/namespaces.ts'

/** The answer to a creation. */
export const createdSchema = storedSchema(struct({ ID: text }))

const index = uintOf({ minimum: 1 })

/** Sessions as they are told. */
export const sessionListSchema = storedSchema(
  list(
    struct({
      ID: text,
      Name: text,
      Node: text,
      LockDelay: uint,
      Behavior: word('release', 'delete'),
      TTL: text,
      NodeChecks: list(text),
      ServiceChecks: constant(null),
      CreateIndex: index,
      ModifyIndex: index,
      Namespace: optional(text),
    }),
  ),
)

/** A session as JSON; its namespace is named outside `default`. */
export function sessionJson(world: World, session: MeshSession): string {
  const { namespace } = session
  const json = world.derived(session, jsonOf)
  if (namespace === defaultNamespace) return json
  const name = namespaceNamed(world, namespace)?.name ?? namespace
  return `${json.slice(0, -1)},"Namespace":${JSON.stringify(name)}}`
}

function jsonOf(session: MeshSession): string {
  const { id, name, node, lock_delay, behavior, ttl, node_checks } = session
  return JSON.stringify({
    ID: id,
    Name: name,
    Node: node,
    LockDelay: lock_delay,
    Behavior: behavior,
    TTL: ttl,
    NodeChecks: node_checks,
    ServiceChecks: null,
    CreateIndex: session.create_index,
    ModifyIndex: session.modify_index,
  })
}
