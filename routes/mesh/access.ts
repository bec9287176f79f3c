import type { World } from '../../state/kernel/worlds/world.ts'
import type { AccessNeed } from '../../state/mesh/acl/authorization.ts'
import { type MeshCaller, requireAccess } from '../../state/mesh/acl/callers.ts'
import { optionsOf } from '../../state/mesh/options.ts'
import {
  assertDeclared,
  type OperationAccess as DeclaredAccess,
  type RequiredRight as DeclaredRight,
  rightCheckedAt,
} from '../http/declare/access.ts'
import type { Query } from '../http/query.ts'

/** Name of a right, such as `key:write` (behaviour/mesh#checks). */
export type RightName = `${AccessNeed['resource']}:${AccessNeed['access']}`

/**
 * The objects to which a right applies: the object with a given name, all objects with a given name
 * prefix, or any object.
 */
export type RightTarget = Omit<AccessNeed, 'resource' | 'access'>

/** Declaration of a right that callers of an operation must have. */
export interface MeshRight extends DeclaredRight<RightName> {
  /**
   * Returns the object that the request concerns. Without this function, the right has no named
   * object.
   */
  readonly findTarget?: (scope: RequestScope) => RightTarget
  /**
   * Returns whether the request is a list. A list is filtered by the rights of the caller instead
   * of refused.
   */
  readonly isList?: (scope: RequestScope) => boolean
}

export type MeshAccess = DeclaredAccess<MeshRight>

/** The parts of a request that determine access. */
export interface RequestScope {
  readonly world: World
  readonly access: MeshAccess
  readonly caller: MeshCaller
  readonly query: Query
  /** Namespace in the query or the header; undefined if the request names none. */
  readonly namespace: string | undefined
  readonly params: Readonly<Record<string, string>>
}

/** Returns the namespace that a request names, otherwise that of the caller's token. */
export function namespaceOf({
  namespace,
  caller,
}: Pick<RequestScope, 'namespace' | 'caller'>): string {
  return namespace ?? caller.namespace
}

/**
 * Declares the rights of an operation. `checkRights` requires all these rights. An operation that
 * checks its rights itself requires only the rights that apply to the objects of the request.
 */
export function requires(...anyOf: readonly [RightName, ...RightName[]]): MeshRight {
  return { anyOf, when: 'before' }
}

/** Returns a copy of a right, restricted to the object that `find` returns. */
export function withTarget(
  find: (scope: RequestScope) => RightTarget,
  right: MeshRight,
): MeshRight {
  return { ...right, findTarget: find }
}

/** Returns a copy of a right, restricted to the object that a path parameter names. */
export function withNamedTarget(parameter: string, right: MeshRight): MeshRight {
  return withTarget(({ params: { [parameter]: name = '' } }) => ({ name }), right)
}

/** Returns a copy of a right, restricted to the server's own node. */
export function withNodeTarget(right: MeshRight): MeshRight {
  return withTarget(({ world }) => ({ name: optionsOf(world).nodeName }), right)
}

/** Returns a copy of a right by which lists are filtered instead of refused. */
export function filteringLists(
  isList: (scope: RequestScope) => boolean,
  right: MeshRight,
): MeshRight {
  return { ...right, isList }
}

/**
 * Returns a copy of a declaration with a second right, which only some requests need. The operation
 * checks the second right with `requireRight` or `rightChecker`.
 */
export function withExtraRight(need: RightName, right: MeshRight): MeshRight {
  return { ...right, also: need }
}

/**
 * Throws a refusal (403) if the caller lacks one of the rights that the operation checks at this
 * stage, and for an unknown token. Does nothing if the request is a list that is filtered instead.
 */
export function checkRights(context: RequestScope, when: 'first' | 'before'): void {
  const right = rightCheckedAt(context.access, when)
  if (right === undefined || right.isList?.(context) === true) return
  const { caller } = context
  if (caller.isUnrestricted) return
  const target = right.findTarget?.(context)
  for (const need of right.anyOf) requireAccess(caller, accessNeedOf(need, target))
}

/** Throws a refusal (403) if the caller lacks a right. The operation must declare the right. */
export function requireRight(context: RequestScope, need: RightName, target?: RightTarget): void {
  assertDeclared(context.access, need)
  requireAccess(context.caller, accessNeedOf(need, target))
}

/**
 * Returns a function that decides whether the caller has a right to an object. The operation must
 * declare the right.
 */
export function rightChecker(
  { access, caller }: RequestScope,
  need: RightName,
): (target: RightTarget) => boolean {
  assertDeclared(access, need)
  if (caller.isUnrestricted) return () => true
  const accessNeed = accessNeedOf(need)
  return (target) => caller.may({ ...target, ...accessNeed })
}

function accessNeedOf(need: RightName, target: RightTarget = {}): AccessNeed {
  const [resource, access] = need.split(':') as [AccessNeed['resource'], AccessNeed['access']]
  return { ...target, resource, access }
}
