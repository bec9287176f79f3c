import { refuseNamelessLogin } from '../../../state/secrets/logins/lockout.ts'
import { optionsOf, usesIndexStates } from '../../../state/secrets/options.ts'
import { allows } from '../../../state/secrets/policies/acl.ts'
import { hasRateLimits } from '../../../state/secrets/quotas/quotas.ts'
import { isDrSecondary, isPaused } from '../../../state/secrets/replication/modes.ts'
import { isSealed } from '../../../state/secrets/seal/seal.ts'
import { isTokenValidIn } from '../../../state/secrets/tokens/rows.ts'
import type { Check } from '../../http/declare/checks.ts'
import type { ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'
import { needsNoToken } from '../access.ts'
import { apiHeader } from '../dialect/dialect.ts'
import { withNeutralFields } from '../dialect/vendor-names.ts'
import { FieldError, toRefusal } from '../fields/fields.ts'
import { refuse } from '../messages.ts'
import { factorsInHeaders } from '../mfa/header.ts'
import { authenticate } from './caller.ts'
import { accessRequestOf, buildCall, requireMount } from './handle-request.ts'
import {
  checkIndexState,
  checkPatchType,
  checkRequestHeader,
  isBodyless,
  requestFields,
  wrappingOf,
} from './request.ts'
import type { SecretsRequest } from './secrets-request.ts'

/**
 * The members of a request that determine whether a check applies. A request that is explained
 * without having been dispatched has only `world`, `method` and `headers`.
 */
type CheckSubject = Pick<ExplainedRequest, 'world' | 'method' | 'headers'> &
  Partial<Pick<SecretsRequest, 'isHelp' | 'isUnenveloped' | 'isVerbCheckedFirst'>>

interface SecretsCheck extends Check<SecretsRequest> {
  readonly applies?: (request: CheckSubject) => boolean
}

const isNoHelp = ({ isHelp }: CheckSubject): boolean => isHelp !== true

/**
 * Checks of a request before its operation, in order (behaviour/secrets#order-of-checks). Bare
 * endpoints (operations with `unenveloped`) check the verb and the seal before the body, whereas
 * other paths check the seal after the body.
 */
export const requestChecks: readonly SecretsCheck[] = [
  {
    name: 'path',
    rules: ['path-relative', 'path-escape-invalid', 'verb-unknown', 'list-no-boolean'],
    run(request) {
      request.parse()
      request.http.operation = request.systemOperation
    },
  },
  {
    name: 'rate limit',
    rules: ['rate-limit-exceeded'],
    applies: ({ world }) => optionsOf(world).rateLimit > 0 || hasRateLimits(world),
    run(request) {
      const { world, path, services } = request
      if (isSealed(world)) return
      const { rateLimit } = optionsOf(world)
      if (rateLimit > 0) services.enforceRateLimit(world, path, rateLimit)
      if (hasRateLimits(world)) request.quotaHeaders = services.limitByQuota(request)
    },
  },
  {
    name: 'route',
    rules: ['method-not-allowed'],
    // On paths that do not check the verb first, this check refuses only HEAD.
    applies: ({ isVerbCheckedFirst, method }) => isVerbCheckedFirst === true || method === 'HEAD',
    run({ isVerbCheckedFirst, systemOperation }) {
      if (!isVerbCheckedFirst || systemOperation === undefined) throw refuse('method-not-allowed')
    },
  },
  {
    name: 'seal',
    rules: ['sealed'],
    applies: ({ isUnenveloped }) => isUnenveloped === true,
    run: checkAvailable,
  },
  {
    name: 'content type',
    rules: ['content-type-unsupported', 'media-type-missing'],
    applies: ({ method, isHelp, isUnenveloped }) =>
      method === 'PATCH' && isHelp !== true && isUnenveloped !== true,
    run: ({ http }) => checkPatchType(http),
  },
  {
    name: 'body',
    rules: ['body-unreadable', 'body-too-large', 'bare-body-unreadable', 'bare-body-too-large'],
    applies: isNoHelp,
    run(request) {
      const { http, isUnenveloped, systemOperation } = request
      request.input = requestFields(http, request, isUnenveloped ? systemOperation : undefined)
    },
  },
  {
    name: 'wrapping',
    rules: ['wrap-ttl-negative', 'wrap-ttl-unreadable'],
    applies: ({ headers, isUnenveloped }) =>
      isUnenveloped !== true && apiHeader(headers, 'wrap-ttl') !== undefined,
    run(request) {
      const wrapping = wrappingOf(request.http)
      // A DR secondary cannot create tokens, not even wrapping tokens, because its data belong to
      // the primary.
      if (!isDrSecondary(request.world)) request.wrapping = wrapping
    },
  },
  {
    name: 'second factor',
    rules: ['mfa-header-without-method', 'mfa-header-without-value'],
    applies: ({ headers, isUnenveloped }) =>
      isUnenveloped !== true && apiHeader(headers, 'mfa') !== undefined,
    run: ({ headers }) => void factorsInHeaders(headers),
  },
  {
    name: 'request header',
    rules: ['request-header-missing'],
    applies: ({ world }) => optionsOf(world).require_request_header,
    run: ({ http }) => checkRequestHeader(http),
  },
  {
    name: 'seal',
    rules: ['sealed'],
    applies: ({ isUnenveloped }) => isUnenveloped !== true,
    run: checkAvailable,
  },
  {
    name: 'folder',
    rules: ['write-to-folder', 'trailing-slash'],
    applies: isNoHelp,
    run({ verb, path }) {
      if ((verb === 'write' || verb === 'patch') && path.endsWith('/')) {
        throw refuse('write-to-folder')
      }
    },
  },
  {
    name: 'replication',
    rules: ['disabled-on-secondary'],
    applies: ({ world }) => isDrSecondary(world),
    run({ world, services, systemOperation }) {
      services.process.replication.follow(world)
      if (systemOperation?.onSecondary !== true) throw refuse('disabled-on-secondary')
    },
  },
  {
    name: 'index',
    rules: ['index-state-ahead', 'index-state-form', 'index-state-mac'],
    applies: ({ world, isUnenveloped }) => isUnenveloped !== true && usesIndexStates(world),
    run: ({ world, http }) => checkIndexState(world, http),
  },
  {
    name: 'namespace',
    rules: [
      'namespace-twice',
      'namespace-not-found',
      'namespaces-not-enabled',
      'unavailable-in-namespaces',
    ],
    run: (request) => request.resolve(),
  },
  {
    name: 'edition',
    rules: ['enterprise-only'],
    applies: ({ world }) => optionsOf(world).edition === 'community',
    run: checkEdition,
  },
  {
    name: 'token',
    rules: [
      'token-refused',
      'token-missing',
      'token-in-wrong-header',
      'token-scheme-wrong',
      'token-unknown',
      'token-expired',
      'token-used-up',
      'token-revoked',
      'token-bound',
    ],
    run: checkToken,
  },
  {
    name: 'access',
    rules: ['acl-denied', 'parameters-denied', 'token-of-other-namespace'],
    applies: isNoHelp,
    run: checkAccess,
  },
  {
    name: 'route',
    rules: [
      'route-unknown',
      'mount-unknown',
      'kv2-part-missing',
      'kv2-list-elsewhere',
      'wrong-dialect',
      'wrong-api',
      'unsupported-path',
      'unsupported-operation',
      'method-not-allowed',
    ],
    // If the verb was checked first, the route is already known to exist.
    applies: ({ isHelp, isVerbCheckedFirst }) => isHelp !== true && isVerbCheckedFirst !== true,
    run: checkRoute,
  },
  {
    name: 'fields',
    rules: ['field-unconvertible', 'field-validation-failed', 'duration-unreadable'],
    applies: isNoHelp,
    run: checkFields,
  },
]

/**
 * Throws `sealed` while the node is sealed or changes its replication mode. Operations with
 * `worksWhileSealed` are exempt.
 */
function checkAvailable({ world, systemOperation }: SecretsRequest): void {
  if (systemOperation?.worksWhileSealed === true) return
  if (isSealed(world) || isPaused(world)) throw refuse('sealed')
}

/** Refuses operations of the enterprise edition in a world of the community edition. */
export function checkEdition({ world, target: { match } }: SecretsRequest): void {
  if (match?.route.first.enterprise === true && optionsOf(world).edition === 'community') {
    throw refuse('enterprise-only')
  }
}

function checkToken(request: SecretsRequest): void {
  const { world, http, isHelp, target } = request
  if (isHelp) {
    request.token = authenticate(world, request.clientToken, request.peer)
    return
  }
  const { operation } = target
  http.operation = operation
  http.needsNoToken = needsNoToken(world, target)
  if (http.needsNoToken) checkLoginName(request)
  const resolveToken = tokenResolverOf(request)
  // On a path with `resolveToken`, an invalid token takes precedence over an unknown verb.
  const token =
    resolveToken !== undefined && (operation === undefined || !http.needsNoToken)
      ? resolveToken({ world, input: request.input, request })
      : request.clientToken
  if (!http.needsNoToken) request.token = authenticate(world, token, request.peer)
  if (http.record !== undefined) http.record.caller = request.token
}

/** Refuses a login without a user name, regardless of the verb. */
function checkLoginName({ world, input, target: { engine, mount, path } }: SecretsRequest): void {
  if (engine?.isNamelessLogin === undefined || mount === undefined) return
  if (engine.isNamelessLogin(path.slice(mount.path.length), input))
    refuseNamelessLogin(world, mount)
}

/**
 * Returns the `resolveToken` of the operation or, for an unsupported verb, of the path. Returns
 * undefined if none is declared. Also returns undefined for an unsupported LIST, whose path ends
 * with a slash.
 */
function tokenResolverOf({ path, target: { operation, match } }: SecretsRequest) {
  if (operation !== undefined) return operation.resolveToken
  return path.endsWith('/') ? undefined : match?.route.first.resolveToken
}

function checkAccess(request: SecretsRequest): void {
  const { world, token, target } = request
  const { operation, access, engine, namespace } = target
  request.neutralInput =
    engine?.hasVendorFields === true ? withNeutralFields(request.input) : request.input
  if (token === undefined) return
  if (tokenResolverOf(request) === undefined && !isTokenValidIn(namespace, token)) {
    throw refuse('acl-denied')
  }
  if (access === 'token') return
  if (operation?.exists !== undefined) {
    // The existence check needs the fields, so invalid fields are reported even to callers without
    // the capability.
    convertFields(request)
    if (request.fieldError !== undefined) return
    request.call = buildCall(request)
  }
  const accessRequest = accessRequestOf(request)
  if (!allows(world, token, accessRequest)) {
    throw refuse('acl-denied').withDetails({ access: accessRequest })
  }
}

function checkRoute({ target }: SecretsRequest): void {
  requireMount(target)
  const { match, engine, operation } = target
  if (match === undefined) {
    if (engine?.handleUnmatched === undefined) throw refuse('unsupported-path')
  } else if (operation === undefined) throw refuse('unsupported-operation')
}

function checkFields(request: SecretsRequest): void {
  if (request.call !== undefined) return
  const { operation } = request.target
  if (operation?.strict?.optional === false && isBodyless(request.http)) {
    throw refuse('bare-body-missing')
  }
  if (request.fieldError === undefined) convertFields(request)
  if (request.fieldError !== undefined && operation !== undefined) {
    // For a write with an existence check, the error message has no prefix.
    const isFoundEarly = operation.verb === 'write' && operation.exists !== undefined
    throw toRefusal(request.fieldError, isFoundEarly)
  }
  request.call = buildCall(request)
}

function convertFields(request: SecretsRequest): void {
  try {
    request.values = request.target.operation?.convert(request.neutralInput)
  } catch (error) {
    if (!(error instanceof FieldError)) throw error
    request.fieldError = error
  }
}
