import { renderMessage } from '../../../state/kernel/message.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { MeshCaller } from '../../../state/mesh/acl/callers.ts'
import { type AclToken, aclPolicies, aclRoles, aclTokens } from '../../../state/mesh/acl/tables.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'
import { diagnoseMissingToken } from '../../http/journal-hooks/unexpected-token.ts'

const spec = 'behaviour/mesh#acl'

/** A token lacks a right: which one, at what, and which policies it has. */
export function missingRight({ world, caller, refusal }: ExplainedRequest): Diagnosis | undefined {
  // Callers of this API are noted with it alone.
  const token = (caller as MeshCaller | undefined)?.token
  if (refusal === undefined || token === undefined) return undefined
  const policies = token.policies.map((id) => world.table(aclPolicies).get(id)?.name ?? id)
  const roles = token.roles.map((id) => world.table(aclRoles).get(id)?.name ?? id)
  const grants = [...policies, ...roles]
  const grantsText = grants.length === 0 ? 'no policies' : `the policies ${grants.join(', ')}`
  const { right = '', object = '' } = refusal.params
  const objectText = typeof object === 'object' && 'rule' in object ? renderMessage(object) : ''
  const name = token.description === '' ? token.accessor_id : `"${token.description}"`
  return {
    because: `the token ${name} lacks ${String(right)}${objectText}: it has ${grantsText}`,
    change: `Give one of its policies ${String(right)}${objectText}`,
    spec,
  }
}

/** No token that counts was sent. */
export function refusedToken(request: ExplainedRequest, header: string): Diagnosis {
  const { token: secret, world } = request
  if (secret === undefined) return { ...missingToken(request, header), spec }
  const change = 'Send the SecretID of a token that is valid'
  const { row, deletedBy } = tokenHistory(request, secret)
  if (row === undefined) {
    return world.table(aclTokens).get(secret) === undefined
      ? {
          rule: 'token-unknown',
          because: 'the token that was sent is not known here',
          change,
          spec,
        }
      : {
          rule: 'token-is-accessor',
          because: 'what was sent is the AccessorID of a token, not its SecretID',
          change,
          spec,
        }
  }
  const name = row.description === '' ? row.accessor_id : `"${row.description}"`
  if (row.expires_at !== null && row.expires_at <= request.at) {
    const expiry = formatTimestamp(row.expires_at)
    return {
      rule: 'token-expired',
      because: `the token ${name} expired at ${expiry}`,
      change,
      spec,
    }
  }
  const because = `the token ${name} was deleted by the request ${deletedBy ?? ''}`
  return { rule: 'token-revoked', because, change, spec }
}

/** Says besides what the anonymous token may not. */
function missingToken(request: ExplainedRequest, header: string): Diagnosis {
  const diagnosis = diagnoseMissingToken(request, 'mesh', header)
  const { right = '' } = { ...request.refusal?.params }
  return {
    ...diagnosis,
    because: `${diagnosis.because}, and the anonymous token lacks ${String(right)}`,
  }
}

interface TokenHistory {
  readonly row?: AclToken
  /** The request that did. */
  readonly deletedBy?: string
}

/** What state and earlier requests tell of a token. */
function tokenHistory(request: ExplainedRequest, secret: string): TokenHistory {
  const storedToken = request.world.table(aclTokens).index('bySecret').get(secret)
  if (storedToken !== undefined) return { row: storedToken }
  for (const { id, changes } of request.earlier()) {
    for (const { table, before, after } of changes) {
      if (table !== 'mesh.acl-tokens') continue
      // Rows of that table are tokens.
      const row = (after ?? before) as AclToken
      if (row.secret_id !== secret) continue
      return after === undefined ? { row, deletedBy: id } : { row }
    }
  }
  return {}
}
