import type { SchedulerCaller } from '../../../state/scheduler/acl/callers.ts'
import { type AclToken, aclTokens } from '../../../state/scheduler/acl/tables.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'
import { diagnoseMissingToken } from '../../http/journal-hooks/unexpected-token.ts'
import type { SchedulerOperation } from '../operation.ts'

const spec = 'behaviour/scheduler#auth'

/** Who was refused, and for lack of what. */
export function permissionDenied(request: ExplainedRequest, header: string): Diagnosis | undefined {
  const { token: secret } = request
  // Operations and callers of this API are noted with it alone.
  const operation = request.operation as SchedulerOperation | undefined
  const caller = request.caller as SchedulerCaller | undefined
  if (secret === undefined) return { ...diagnoseMissingToken(request, 'scheduler', header), spec }
  if (caller === undefined) return { ...explainToken(request, secret), spec }
  const right = operation?.access
  if (right === undefined || right === 'anyone') return undefined
  const rights = [...right.anyOf, ...(right.also === undefined ? [] : [right.also])]
  const namespace = [request.query['namespace']].flat()[0] ?? 'default'
  const where = rights.some((each) => each.startsWith('namespace:'))
    ? ` in the namespace ${namespace}`
    : ''
  const name = caller.token?.Name
  const heldPolicies =
    caller.policies.length === 0 ? 'no policies' : `the policies ${caller.policies.join(', ')}`
  return {
    because: `the token ${name === undefined || name === '' ? '' : `${name} `}lacks ${rights.join(' or ')}${where}: it has ${heldPolicies}`,
    change: `Give one of its policies ${rights.join(' or ')}${where}, or use a management token`,
    spec,
  }
}

/** What became of a token, as far as state and journal know. */
function explainToken(request: ExplainedRequest, secret: string): Diagnosis {
  const { row, deletedBy } = tokenHistory(request, secret)
  const change = 'Send the SecretID of a token that is valid'
  if (row === undefined) {
    const isAccessor = request.world.table(aclTokens).get(secret) !== undefined
    return isAccessor
      ? {
          rule: 'token-is-accessor',
          because: 'what was sent is the AccessorID of a token, not its SecretID',
          change,
        }
      : { rule: 'token-unknown', because: 'the token that was sent is not known here', change }
  }
  const { Name, ExpirationTime } = row
  if (deletedBy !== undefined) {
    const because = `the token ${Name} was deleted by the request ${deletedBy}`
    return { rule: 'token-revoked', because, change }
  }
  return {
    rule: 'token-expired',
    because: `the token ${Name} expired at ${ExpirationTime}`,
    change,
  }
}

interface TokenHistory {
  readonly row?: AclToken
  /** The request that did. */
  readonly deletedBy?: string
}

function tokenHistory(request: ExplainedRequest, secret: string): TokenHistory {
  const storedToken = request.world.table(aclTokens).index('bySecret').get(secret)
  if (storedToken !== undefined) return { row: storedToken }
  for (const { id, changes } of request.earlier()) {
    for (const { table, before, after } of changes) {
      if (table !== 'scheduler.acl-tokens') continue
      // Rows of that table are tokens.
      const row = (after ?? before) as AclToken
      if (row.SecretID !== secret) continue
      return after === undefined ? { row, deletedBy: id } : { row }
    }
  }
  return {}
}
