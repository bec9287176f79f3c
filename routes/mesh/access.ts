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

/** A right by its name (behaviour/mesh#checks): `key:write`. */
export type RightName = `${AccessNeed['resource']}:${AccessNeed['access']}`

/** The thing that a right is about: its name, where it is, and whether all that begins so is meant. */
export type RightTarget = Omit<AccessNeed, 'resource' | 'access'>

/** What a caller must have. */
export interface MeshRight extends DeclaredRight<RightName> {
  /** Finds what a request is about; without it nothing with a name. */
  readonly findTarget?: (scope: RequestScope) => RightTarget
  /** Tells of a read whether it is a list, which is cut to what the caller may see instead. */
  readonly isList?: (scope: RequestScope) => boolean
}

/** Who may ask for an operation. */
export type MeshAccess = DeclaredAccess<MeshRight>

/** Who asks for what: the part of a context that rights are about. */
export interface RequestScope {
  readonly world: World
  readonly access: MeshAccess
  readonly caller: MeshCaller
  readonly query: Query
  /** The namespace that the request asks for. */
  readonly namespace: string | undefined
  readonly params: Readonly<Record<string, string>>
}

/** Needs a right; with several of them, those that a part of the request is about. */
export function requiresAnyOf(...anyOf: readonly [RightName, ...RightName[]]): MeshRight {
  return { anyOf, when: 'before' }
}

/** The same right to what a request turns out to be about. */
export function withTarget(
  find: (scope: RequestScope) => RightTarget,
  right: MeshRight,
): MeshRight {
  return { ...right, findTarget: find }
}

/** The same right to what a parameter of the path names. */
export function withNamedTarget(parameter: string, right: MeshRight): MeshRight {
  return withTarget(({ params: { [parameter]: name = '' } }) => ({ name }), right)
}

/** The same right to the only node. */
export function withNodeTarget(right: MeshRight): MeshRight {
  return withTarget(({ world }) => ({ name: optionsOf(world).nodeName }), right)
}

/** The same right, by which lists are cut. */
export function filteringLists(
  isList: (scope: RequestScope) => boolean,
  right: MeshRight,
): MeshRight {
  return { ...right, isList }
}

/** The same right, and another that some requests need as well. */
export function withExtraRight(need: RightName, right: MeshRight): MeshRight {
  return { ...right, also: need }
}

/** Refuses a caller who lacks what an operation needs, where that is looked at at this moment. */
export function checkRights(context: RequestScope, when: 'first' | 'before'): void {
  const right = rightCheckedAt(context.access, when)
  if (right === undefined || right.isList?.(context) === true) return
  const { caller } = context
  if (caller.isUnrestricted) return
  const target = right.findTarget?.(context)
  for (const need of right.anyOf) requireAccess(caller, accessNeedOf(need, target))
}

/** Refuses a caller without a right, which the operation declares. */
export function requireRight(context: RequestScope, need: RightName, target?: RightTarget): void {
  assertDeclared(context.access, need)
  requireAccess(context.caller, accessNeedOf(need, target))
}

/** Tells of one thing after the other whether the caller has a right to it, which the operation declares. */
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
