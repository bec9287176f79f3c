import { Refusal } from '../../kernel/refusal.ts'
import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { mounts } from '../mounts/mounts.ts'
import { namespaces } from '../namespaces/namespaces.ts'
import { type OrchObject, type OrchSubject, orchObjects } from './orchestrator.ts'
import type { PolicyRule } from './role-rules.ts'
import { connectionOf, type OrchConfig, type OrchConnection, orchConfigs } from './roles.ts'

/** Members that the views of all orchestrator objects have. */
interface ObjectView {
  /** Null for cluster-wide objects. */
  readonly namespace: string | null
  readonly name: string
  readonly uid: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  /** RFC 3339 timestamp by the world's clock. */
  readonly createdAt: string
  /** Id of the lease whose end deletes the object. */
  readonly lease: string
}

/** A role, or a cluster role if `namespace` is null. */
interface RoleView extends ObjectView {
  readonly rules: readonly PolicyRule[]
}

/** A role binding, or a cluster role binding if `namespace` is null. */
interface BindingView extends ObjectView {
  readonly roleRef: { readonly kind: 'Role' | 'ClusterRole'; readonly name: string }
  readonly subjects: readonly OrchSubject[]
}

/** A configured engine with its connection to the orchestrator. */
interface EngineView extends Omit<OrchConnection, 'host'> {
  /** Path of the namespace of the secrets API; empty for the root namespace. */
  readonly namespace: string
  readonly mount: string
  /**
   * URL of the orchestrator; null if neither the configuration nor the pod's environment defines
   * it.
   */
  readonly host: string | null
}

/** The simulated orchestrator as the control plane shows it. */
export interface OrchestratorView {
  readonly engines: readonly EngineView[]
  readonly serviceAccounts: readonly ObjectView[]
  readonly roles: readonly RoleView[]
  readonly clusterRoles: readonly RoleView[]
  readonly roleBindings: readonly BindingView[]
  readonly clusterRoleBindings: readonly BindingView[]
}

/**
 * Returns the objects of each kind in the order of their keys (`<namespace>/<name>`), and the
 * configured engines.
 */
export function orchestratorView(world: World): OrchestratorView {
  const objectsOfKind = (kind: OrchObject['kind']) => [...world.table(orchObjects).rows(`${kind}/`)]
  return {
    engines: enginesOf(world),
    serviceAccounts: objectsOfKind('ServiceAccount').map(objectView),
    roles: objectsOfKind('Role').map(roleView),
    clusterRoles: objectsOfKind('ClusterRole').map(roleView),
    roleBindings: objectsOfKind('RoleBinding').flatMap(bindingView),
    clusterRoleBindings: objectsOfKind('ClusterRoleBinding').flatMap(bindingView),
  }
}

function enginesOf(world: World): EngineView[] {
  const paths = new Map(
    Array.from(world.table(namespaces).rows(), ({ id, path }) => [id, path] as const),
  )
  return [...world.table(mounts).rows()].flatMap((mount) => {
    const config = orchConfigs.find(world, mount)
    if (config === undefined) return []
    const namespace = paths.get(mount.namespace) ?? ''
    return [{ namespace, mount: mount.path, ...connectionView(world, config) }]
  })
}

function connectionView(world: World, config: OrchConfig) {
  try {
    return connectionOf(world, config)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // `connectionOf` refuses a configuration if no host is defined. The other members do not depend
    // on the host, so a placeholder replaces the missing host.
    return { ...connectionOf(world, { ...config, orch_host: 'unknown' }), host: null }
  }
}

function objectView(object: OrchObject): ObjectView {
  const { namespace, name, uid, labels, annotations, created_time, lease } = object
  return {
    namespace: namespace === '' ? null : namespace,
    name,
    uid,
    labels,
    annotations,
    createdAt: formatTimestamp(created_time),
    lease,
  }
}

function roleView(object: OrchObject): RoleView {
  return { ...objectView(object), rules: object.rules ?? [] }
}

function bindingView(object: OrchObject): BindingView[] {
  const { role_ref: roleRef, subjects } = object
  if (roleRef === null || subjects === null) return []
  return [{ ...objectView(object), roleRef, subjects }]
}
