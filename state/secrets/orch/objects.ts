import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { namesOfDialect } from './options.ts'
import type { OrchObject } from './orchestrator.ts'
import { parseRoleRules } from './role-rules.ts'
import type { OrchRole } from './roles.ts'

/** The objects to create for credentials. */
interface ObjectPlan {
  readonly role: OrchRole
  /** A namespace of the orchestrator. */
  readonly namespace: string
  /** The name of every object. */
  readonly name: string
  /** True for a binding that applies to the whole cluster. */
  readonly cluster: boolean
}

/** An object before it has a lease. */
type NewObject = Omit<OrchObject, 'lease'>

/**
 * Returns the objects that the engine creates for a role with a role name or rules: the account and
 * its binding; with rules, also the role (behaviour/secrets#api-orch, Rules).
 */
export function objectsFor(world: World, objectPlan: ObjectPlan): readonly NewObject[] {
  const { role, namespace, name, cluster } = objectPlan
  const { orch_role_name, orch_role_type, generated_role_rules } = role
  const object = (kind: OrchObject['kind'], overrides: Partial<NewObject> = {}): NewObject => ({
    kind,
    namespace,
    name,
    uid: world.ids.uuid(),
    // The engine's labels come last, so that a role cannot override them.
    labels: { ...role.extra_labels, ...namesOfDialect(optionsOf(world)).labels },
    annotations: { ...role.extra_annotations },
    created_time: world.clock.now(),
    rules: null,
    role_ref: null,
    subjects: null,
    ...overrides,
  })
  const clusterWide = { namespace: '' }
  const binding: Partial<NewObject> = {
    role_ref: { kind: orch_role_type, name: orch_role_name || name },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  }
  const newObjects = [
    cluster
      ? object('ClusterRoleBinding', { ...binding, ...clusterWide })
      : object('RoleBinding', binding),
    object('ServiceAccount'),
  ]
  if (orch_role_name !== '') return newObjects
  const rules = parseRoleRules(generated_role_rules)
  const scope = orch_role_type === 'ClusterRole' ? clusterWide : {}
  return [object(orch_role_type, { rules, ...scope }), ...newObjects]
}
