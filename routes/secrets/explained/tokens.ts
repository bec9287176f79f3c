import { formatTimestamp } from '../../../state/kernel/time.ts'
import { type AccessRequest, capabilitiesOf } from '../../../state/secrets/policies/acl.ts'
import { type Token, tokens } from '../../../state/secrets/tokens/rows.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'
import { diagnoseMissingToken } from '../../http/journal-hooks/unexpected-token.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { targetOf } from './request-target.ts'

/** Explains why a token was refused (behaviour/secrets#token). */
export function explainTokenRefusal(request: ExplainedRequest, dialect: SecretsDialect): Diagnosis {
  const { token: text } = request
  const diagnosis =
    text === undefined
      ? diagnoseMissingToken(request, 'secrets', `${dialect.headerPrefix}Token`)
      : explainMissingToken(request, text)
  return { ...diagnosis, spec }
}

const spec = 'behaviour/secrets#token'

/**
 * Explains why a token is not accepted, based on what the state and the journal show about the
 * token.
 */
function explainMissingToken(request: ExplainedRequest, text: string) {
  const change = 'Send a valid token: log in again or create a new token'
  const storedToken = request.world.table(tokens).get(text)
  const { row, deletedBy } = findTokenTraces(request, text)
  const last = storedToken ?? row
  const name = last === undefined ? '' : nameOf(last)
  if (last !== undefined && last.expire_time !== null && last.expire_time <= request.at) {
    const expiredAt = formatTimestamp(last.expire_time)
    return { rule: 'token-expired', because: `the token${name} expired at ${expiredAt}`, change }
  }
  if (last !== undefined && last.num_uses === -1) {
    return { rule: 'token-used-up', because: `the token${name} has no uses left`, change }
  }
  if (deletedBy !== undefined) {
    const { id, at } = deletedBy
    const because = `the token${name} was revoked by the request ${id} at ${formatTimestamp(at)}`
    return { rule: 'token-revoked', because, change }
  }
  if (last?.bound_cidrs.length) {
    const networkNames = last.bound_cidrs.join(', ')
    return {
      rule: 'token-bound',
      because: `the token${name} is bound to the networks ${networkNames}, but the request came from another network`,
      change: `Send the request from one of ${networkNames}`,
    }
  }
  return {
    rule: 'token-unknown',
    because: 'the token that was sent does not exist in this world',
    change,
  }
}

/**
 * Returns a space and the name of a token, to follow the word `token` in a sentence. The prefix
 * `token-` is removed from the name. If no name is left, the accessor is used instead. Returns an
 * empty text for a token with neither a name nor an accessor.
 */
function nameOf({ display_name, accessor }: Token): string {
  const name = display_name.replace(/^token(?:-|$)/, '') || accessor
  return name === '' ? '' : ` ${name}`
}

interface TokenTraces {
  /** Last known state of the token. */
  readonly row?: Token
  readonly deletedBy?: { readonly id: string; readonly at: number }
}

/**
 * Searches earlier requests for the last known state of a token, and for the request that deleted
 * the token.
 */
function findTokenTraces(request: ExplainedRequest, text: string): TokenTraces {
  for (const { id, at, caller, changes } of request.earlier()) {
    const change = changes.findLast(({ table, key }) => table === 'secrets.tokens' && key === text)
    // The casts are safe: the rows of this table and the callers in this journal are tokens.
    if (change?.after !== undefined) return { row: change.after as Token }
    if (change !== undefined) return { row: change.before as Token, deletedBy: { id, at } }
    const known = caller as Token | undefined
    if (known?.id === text) return { row: known }
  }
  return {}
}

/**
 * Explains why the orchestrator refused the JWT of a service account. Returns undefined for other
 * refusals.
 */
export function explainAccountRefusal({ refusal }: ExplainedRequest): Diagnosis | undefined {
  const why = refusal?.details['why']
  if (typeof why !== 'string') return undefined
  return {
    because: `the JWT of the service account was refused: ${why}`,
    change:
      'Log in with a JWT of POST /_mock/secrets/orchestrator/tokens, or let secrets.orchReview accept tokens by pem_keys alone',
    spec: 'behaviour/secrets#orch-login-review',
  }
}

/** Explains why verification keys could not be fetched. Returns undefined for other refusals. */
export function explainMissingKeys({ refusal }: ExplainedRequest): Diagnosis | undefined {
  const { why = refusal?.params['why'] } = refusal?.details ?? {}
  const reason = typeof why === 'string' ? why : nestedReason(why)
  if (reason === undefined) return undefined
  return {
    because: `the keys could not be fetched: ${reason}`,
    change:
      'Provide the keys in the option secrets.jwtKeys, or allow fetching them with secrets.jwtFetch',
    spec: 'behaviour/secrets#jwt-keys',
  }
}

/**
 * Returns the reason that a `jwt-fetch-failed` message contains; undefined for any other message.
 */
function nestedReason(why: unknown): string | undefined {
  const message = why as {
    readonly rule?: string
    readonly params?: Readonly<Record<string, unknown>>
  }
  if (message?.rule !== 'jwt-fetch-failed') return undefined
  const inner = message.params?.['why']
  return typeof inner === 'string' ? inner : 'the option jwtFetch does not allow it'
}

const accessSpec = 'behaviour/secrets#policies'

/**
 * Explains that a capability is missing: names the capability, the path, and the capabilities that
 * the token's policies grant on the path. If no capability is missing, explains that the parameters
 * or the wrapping are denied. If the token belongs to another namespace, explains that. Returns
 * undefined without a token.
 */
export function explainMissingCapability(request: ExplainedRequest): Diagnosis | undefined {
  const { world, caller, refusal } = request
  // The cast is safe: the caller of a request is the row of its token.
  const token = caller as Token | undefined
  // The cast is safe: only the access check sets this detail.
  const access = refusal?.details['access'] as AccessRequest | undefined
  if (token === undefined) return undefined
  const held = token.policies.length === 0 ? 'no policies' : `policies ${token.policies.join(', ')}`
  if (access === undefined) return explainForeignToken(request, token)
  const { operation, path, sudo } = access
  const granted = capabilitiesOf(world, token, path)
  const needed = [operation, ...(sudo ? ['sudo'] : [])]
  const missing = needed.filter((each) => !granted.some((has) => has === each))
  if (missing.length === 0) {
    return {
      rule: 'parameters-denied',
      because: `the ${held} of the token grant ${operation} at ${path}, but not with these parameters or this wrapping`,
      change: `Send parameters and a wrapping that the rule for ${path} allows, or change the rule`,
      spec,
    }
  }
  const grants = granted[0] === 'deny' ? 'nothing' : granted.join(', ')
  const quoted = missing.map((each) => `"${each}"`).join(', ')
  return {
    because: `the token lacks the capability ${missing.join(' and ')} at ${path}: its ${held} grant ${grants} there`,
    change: `Add to one of its policies: path "${path}" { capabilities = [${quoted}] }`,
    spec: accessSpec,
  }
}

function explainForeignToken(request: ExplainedRequest, token: Token): Diagnosis {
  const { namespace } = targetOf(request)
  const tokenNamespace = token.namespace_path
  return {
    rule: 'token-of-other-namespace',
    because: `the token belongs to the namespace ${tokenNamespace} and is not valid in ${namespace.path === '' ? 'the root namespace' : namespace.path}`,
    change: `Send the request to the namespace ${tokenNamespace}, or use a token of a namespace above`,
    spec: accessSpec,
  }
}
