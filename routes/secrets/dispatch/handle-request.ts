import { quoteGo } from '../../../state/go/text.ts'
import type { JsonObject } from '../../../state/kernel/json.ts'
import { type Deferred, mapResult } from '../../../state/kernel/worlds/deferred.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import type { Namespace } from '../../../state/secrets/namespaces/namespaces.ts'
import type { AccessRequest } from '../../../state/secrets/policies/acl.ts'
import { wrap } from '../../../state/secrets/wrapping/wrapping.ts'
import type { RouteMatch } from '../../http/router/routes.ts'
import { neutralField } from '../dialect/vendor-names.ts'
import type { SecretsOutcome } from '../envelope/outcome.ts'
import { wrappedEnvelope } from '../envelope/schemas.ts'
import { FieldError, toRefusal } from '../fields/fields.ts'
import { message, refuse } from '../messages.ts'
import {
  type Call,
  type Engine,
  effectiveAccess,
  isUnauthenticated,
  type SecretsOperation,
  type SecretsPlace,
  type Verb,
  type Wrapping,
} from '../operation.ts'

/** The target that a request turned out to have. */
export interface Target {
  readonly namespace: Namespace
  readonly verb: Verb
  /** From the namespace. */
  readonly path: string
  readonly mount: Mount | undefined
  readonly engine: Engine | undefined
  readonly match: RouteMatch<SecretsOperation> | undefined
  readonly operation: SecretsOperation | undefined
}

/** The parts of a call that are known before it is let in. */
export interface CallBase
  extends Pick<Call, 'world' | 'input' | 'token' | 'request' | 'wrapping' | 'process'> {
  /** The input under the names that the caller used. */
  readonly rawInput: JsonObject
  /** True when there was no body. */
  readonly hasNoBody: boolean
  /** True when the URL itself is below `/v1/sys/`, without a namespace before it. */
  readonly isSystemPath: boolean
}

/**
 * Tells whether a request needs no client token: its operation asks for none, or the path does not
 * know the verb and has open operations alone. Like the reference, which goes by the path: a GET of
 * a login is told that it is no operation, and a login as `dev.` that there is no such path.
 */
export function needsNoToken(target: Target, world: World): boolean {
  const { operation, match: found, engine, mount, path } = target
  if (operation !== undefined) return isUnauthenticated(operation, world)
  if (found === undefined) {
    const prefix = engine?.unauthenticatedPrefix
    return prefix !== undefined && path.startsWith(prefix, mount?.path.length)
  }
  return [...found.route.operations.values()].every((each) => isUnauthenticated(each, world))
}

/**
 * Returns the call of a write that looks at its fields before anything is asked of the caller's
 * policies, so that even a caller without the capability is told of them; undefined for others.
 */
export function prepareCall(base: CallBase, target: Target): Call | undefined {
  const { mount, match: found, operation } = target
  if (operation?.exists === undefined || mount === undefined) return undefined
  return buildCall(base, target, mount, found, convert(operation, base.input))
}

/**
 * Returns what a request asks of the caller's policies. Only paths with an existence check can create.
 *
 * @param prepared the call of a write that has such a check
 */
export function accessRequestOf(
  base: CallBase,
  target: Target,
  prepared: Call | undefined,
): AccessRequest {
  const { namespace, verb, path, operation } = target
  const from = operation?.resolveToken === undefined ? namespace.path : base.token?.namespace_path
  const isCreation = prepared !== undefined && operation?.exists?.(prepared) === false
  return {
    operation: verb === 'write' ? (isCreation ? 'create' : 'update') : verb,
    path: (from ?? '') + path,
    sudo: operation !== undefined && effectiveAccess(operation, base.world) === 'sudo',
    input: base.input,
    wrapTtl: base.wrapping?.ttl,
  }
}

/**
 * Answers a request that has been let in.
 *
 * @param prepared its call, where that is made already
 */
export function handleRequest(
  base: CallBase,
  target: Target,
  prepared: Call | undefined,
): SecretsOutcome | Deferred<SecretsOutcome> {
  const { path, mount, engine, match: found, operation } = target
  if (mount === undefined) {
    throw refuse('route-unknown', { path: quoteGo(path) })
  }
  if (found === undefined) {
    if (engine?.handleUnmatched === undefined) throw refuse('unsupported-path')
    return engine.handleUnmatched(buildCall(base, target, mount, undefined, undefined))
  }
  if (operation === undefined) throw refuse('unsupported-operation')
  if (base.hasNoBody && operation.strict?.optional === false) throw refuse('bare-body-missing')
  const call = prepared ?? buildCall(base, target, mount, found, convert(operation, base.input))
  return mapResult(operation.run(call), (outcome) =>
    withParameterWarnings(
      base.isSystemPath ? outcome : withoutRepeatedKeys(outcome),
      operation,
      found,
      base.rawInput,
    ),
  )
}

/** An outcome whose data are told once. */
function withoutRepeatedKeys(outcome: SecretsOutcome): SecretsOutcome {
  const canRepeatKeys = outcome.kind === 'envelope' || outcome.kind === 'spread'
  return canRepeatKeys && outcome.repeatsKeys === true
    ? { ...outcome, repeatsKeys: false }
    : outcome
}

function convert(operation: SecretsOperation, input: JsonObject): unknown {
  try {
    return operation.convert(input)
  } catch (error) {
    if (!(error instanceof FieldError)) throw error
    // The check comes first on a write, and tells the fault in its own words.
    throw toRefusal(error, operation.verb === 'write' && operation.exists !== undefined)
  }
}

function buildCall(
  base: CallBase,
  { namespace, verb, path }: Pick<Target, 'namespace' | 'verb' | 'path'>,
  mount: Mount,
  match: RouteMatch<SecretsOperation> | undefined,
  fields: unknown,
): Call {
  const { world, input, token, request, wrapping, process } = base
  const params = match?.params ?? {}
  return {
    world,
    namespace,
    verb,
    mount,
    path,
    params,
    fields,
    input,
    token,
    request,
    wrapping,
    process,
  }
}

/**
 * Remarks on parameters that were not used (behaviour/secrets#unknown-parameters).
 * Like the reference, a path knows the fields of all its operations. Names come back as they were
 * sent.
 */
function withParameterWarnings(
  outcome: SecretsOutcome,
  operation: SecretsOperation,
  { route: place, params }: RouteMatch<SecretsOperation>,
  rawInput: JsonObject,
): SecretsOutcome {
  // What would be 204 without remarks gets none for its parameters alone.
  const hasOwnWarnings = outcome.kind === 'empty' && (outcome.warnings ?? []).length > 0
  const hasWarnings = hasOwnWarnings || outcome.kind === 'envelope' || outcome.kind === 'spread'
  if (!hasWarnings || operation.acceptsUnknownFields) return outcome
  // The reference renders what it only accepts before it looks at the parameters.
  if (outcome.kind === 'envelope' && outcome.status === 202) return outcome
  const ignored: string[] = []
  const replaced: string[] = []
  for (const name of Object.keys(rawInput)) {
    if (Object.hasOwn(params, name)) {
      if (rawInput[name] !== null) replaced.push(name)
    } else if (!hasField(place, name) && !hasField(place, neutralField(name))) {
      ignored.push(name)
    }
  }
  if (ignored.length === 0 && replaced.length === 0) return outcome
  const warnings = [...(outcome.warnings ?? [])]
  if (ignored.length > 0) {
    warnings.push(message('parameters-ignored', { names: ignored.sort().join(' ') }))
  }
  if (replaced.length > 0) {
    warnings.push(message('parameters-replaced', { names: replaced.sort().join(' ') }))
  }
  return { ...outcome, warnings }
}

function hasField({ operations }: SecretsPlace, name: string): boolean {
  for (const { fields } of operations.values()) if (Object.hasOwn(fields, name)) return true
  return false
}

/**
 * The call whose reply is wrapped: the wrapping token tells the path and belongs to the namespace.
 */
type WrappedRequest = Pick<Call, 'namespace' | 'path'> & {
  readonly operation: SecretsOperation | undefined
}

/** Has an answer wrapped as its caller wants (behaviour/secrets#wrapping). */
export function wrapOutcome(
  outcome: SecretsOutcome | Deferred<SecretsOutcome>,
  world: World,
  wrapping: Wrapping,
  wrappedRequest: WrappedRequest,
): SecretsOutcome | Deferred<SecretsOutcome> {
  return mapResult(outcome, (reply) => toWrappedOutcome(reply, world, wrapping, wrappedRequest))
}

function toWrappedOutcome(
  reply: SecretsOutcome,
  world: World,
  { ttl, address }: Wrapping,
  { namespace, path, operation }: WrappedRequest,
): SecretsOutcome {
  if (reply.kind === 'wrapped') return reply
  // What stands for a wrapped reply already is not wrapped once more.
  if (reply.kind === 'envelope' && reply.wrap !== undefined) return reply
  const request = {
    ttl,
    path,
    namespace,
    wrappedAccessor: wrappedAccessorOf(reply),
    address: operation?.forcesOpaqueWrapping === true ? undefined : address,
  }
  return { kind: 'wrapped', reply, wrap: (text) => wrap(world, { ...request, text }) }
}

function wrappedAccessorOf(reply: SecretsOutcome): string {
  if (reply.kind !== 'envelope') return ''
  return reply.wrappedAccessor ?? reply.auth?.accessor ?? ''
}

/** The operation as it answers when its answer is wrapped. */
export function wrappedOperation(operation: SecretsOperation): SecretsOperation {
  if (operation.reply[200] === undefined) return operation
  return { ...operation, reply: { ...operation.reply, 200: wrappedEnvelope } }
}
