import { quoteGo } from '../../../state/go/text.ts'
import type { JsonObject } from '../../../state/kernel/json.ts'
import { type Deferred, mapResult } from '../../../state/kernel/worlds/deferred.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import type { AccessRequest } from '../../../state/secrets/policies/acl.ts'
import { wrap } from '../../../state/secrets/wrapping/wrapping.ts'
import type { RouteMatch } from '../../http/router/routes.ts'
import { needsSudo } from '../access.ts'
import { neutralField } from '../dialect/vendor-names.ts'
import type { SecretsOutcome } from '../envelope/outcome.ts'
import { wrappedEnvelope } from '../envelope/schemas.ts'
import { message, refuse } from '../messages.ts'
import type { Call, SecretsOperation, SecretsRoute, Wrapping } from '../operation.ts'
import type { SecretsRequest, Target } from './secrets-request.ts'

/**
 * Returns the access that a request needs. The capability is `create` only on paths with an
 * existence check; for these paths, `call` must be set before this function is called.
 */
export function accessRequestOf(request: SecretsRequest): AccessRequest {
  const { verb, target, call, token, wrapping } = request
  const { namespace, path, operation } = target
  const namespacePath =
    operation?.resolveToken === undefined ? namespace.path : token?.namespace_path
  const isCreation = call !== undefined && operation?.exists?.(call) === false
  return {
    operation: verb === 'write' ? (isCreation ? 'create' : 'update') : verb,
    path: (namespacePath ?? '') + path,
    sudo: needsSudo(request.world, target),
    input: request.neutralInput,
    wrapTtl: wrapping?.requestedTtl,
  }
}

/**
 * Calls the operation of a request that has passed its checks. If no operation matches, calls the
 * engine's `handleUnmatched`; throws `unsupported-path` if the engine has none. Adds warnings about
 * unused parameters to the outcome of an operation.
 */
export function handleRequest(request: SecretsRequest): SecretsOutcome | Deferred<SecretsOutcome> {
  const { engine, match, operation } = request.target
  const call = request.call ?? buildCall(request)
  if (match === undefined || operation === undefined) {
    if (engine?.handleUnmatched === undefined) throw refuse('unsupported-path')
    return engine.handleUnmatched(call)
  }
  return mapResult(operation.run(call), (outcome) => {
    const canRepeatKeys = outcome.kind === 'envelope' || outcome.kind === 'spread'
    // Only replies below `/v1/sys/` repeat the keys of `data` at the top level.
    const repeatsTooMuch =
      canRepeatKeys && outcome.repeatsKeys === true && !request.path.startsWith('sys/')
    return withParameterWarnings(
      repeatsTooMuch ? { ...outcome, repeatsKeys: false } : outcome,
      operation,
      match,
      request.input,
    )
  })
}

/** Returns the mount of a target. Refuses a path that has no mount. */
export function requireMount({ mount, path }: Target): Mount {
  if (mount === undefined) throw refuse('route-unknown', { path: quoteGo(path) })
  return mount
}

/**
 * Builds the `Call` for a request whose fields have already been converted. Refuses a path that has
 * no mount.
 */
export function buildCall(request: SecretsRequest): Call {
  const { world, verb, target, values, neutralInput, token, wrapping, services } = request
  return {
    world,
    namespace: target.namespace,
    verb,
    mount: requireMount(target),
    path: target.path,
    params: target.match?.params ?? {},
    fields: values,
    input: neutralInput,
    token,
    request,
    wrapping,
    process: services.process,
  }
}

/**
 * Adds warnings about parameters that were ignored or replaced by parameters of the path
 * (behaviour/secrets#unknown-parameters). As in the reference, the fields of all operations at the
 * path count as known. The warnings contain the names as the request spells them. If no such
 * warning applies, the outcome is returned unchanged.
 */
function withParameterWarnings(
  outcome: SecretsOutcome,
  operation: SecretsOperation,
  { route, params }: RouteMatch<SecretsOperation>,
  rawInput: JsonObject,
): SecretsOutcome {
  // Warnings about parameters do not by themselves change the status of a reply from 204 to 200.
  const hasOwnWarnings = outcome.kind === 'empty' && (outcome.warnings ?? []).length > 0
  const hasWarnings = hasOwnWarnings || outcome.kind === 'envelope' || outcome.kind === 'spread'
  if (!hasWarnings || operation.acceptsUnknownFields) return outcome
  // The reference writes a 202 reply before it checks the parameters, so such a reply has no
  // warnings about them.
  if (outcome.kind === 'envelope' && outcome.status === 202) return outcome
  const ignored: string[] = []
  const replaced: string[] = []
  for (const name of Object.keys(rawInput)) {
    if (Object.hasOwn(params, name) || operation.optionalParams?.includes(name)) {
      if (rawInput[name] !== null) replaced.push(name)
    } else if (!hasField(route, name) && !hasField(route, neutralField(name))) {
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

function hasField({ operations }: SecretsRoute, name: string): boolean {
  for (const { fields } of operations.values()) if (Object.hasOwn(fields, name)) return true
  return false
}

/**
 * Returns an outcome whose reply will be wrapped, as the caller requested
 * (behaviour/secrets#wrapping). A reply that is already wrapped or describes a wrapping token is
 * returned unchanged.
 */
export function wrapOutcome(
  outcome: SecretsOutcome | Deferred<SecretsOutcome>,
  request: SecretsRequest,
  { ttl, address }: Wrapping,
): SecretsOutcome | Deferred<SecretsOutcome> {
  const { world, target } = request
  const { path, namespace } = target
  return mapResult(outcome, (reply) => {
    if (reply.kind === 'wrapped') return reply
    if (reply.kind === 'envelope' && reply.wrap !== undefined) return reply
    const wrapRequest = { ttl, path, namespace, address, wrappedAccessor: wrappedAccessorOf(reply) }
    return { kind: 'wrapped', reply, wrap: (text) => wrap(world, { ...wrapRequest, text }) }
  })
}

function wrappedAccessorOf(reply: SecretsOutcome): string {
  if (reply.kind !== 'envelope') return ''
  return reply.wrappedAccessor ?? reply.auth?.accessor ?? ''
}

/**
 * Returns a copy of an operation whose reply with status 200 has the shape of a wrapped reply. An
 * operation without such a reply is returned unchanged.
 */
export function wrappedOperation(operation: SecretsOperation): SecretsOperation {
  if (operation.reply[200] === undefined) return operation
  return { ...operation, reply: { ...operation.reply, 200: wrappedEnvelope } }
}
