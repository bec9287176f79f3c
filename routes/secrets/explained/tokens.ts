import { formatTimestamp } from '../../../state/kernel/time.ts'
import { type Token, tokens } from '../../../state/secrets/tokens/rows.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'
import { diagnoseMissingToken } from '../../http/journal-hooks/unexpected-token.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'

/** Why a token was not taken (behaviour/secrets#token). */
export function explainTokenRefusal(query: ExplainedRequest, dialect: SecretsDialect): Diagnosis {
  const { token: text } = query
  const told =
    text === undefined
      ? diagnoseMissingToken(query, 'secrets', `${dialect.headerPrefix}Token`)
      : explainMissingToken(query, text)
  return { ...told, spec }
}

const spec = 'behaviour/secrets#token'

/** What became of a token, as far as state and journal know. */
function explainMissingToken(
  query: ExplainedRequest,
  text: string,
): Pick<Diagnosis, 'rule' | 'because' | 'change'> {
  const change = 'Send a token that is valid; log in again or make a new one'
  const kept = query.world.table(tokens).get(text)
  const { row, deletedBy } = findTraces(query, text)
  const last = kept ?? row
  const name = last === undefined ? '' : ` ${last.display_name}`
  if (last !== undefined && last.expire_time !== null && last.expire_time <= query.at) {
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
    const bounds = last.bound_cidrs.join(', ')
    return {
      rule: 'token-bound',
      because: `the token${name} is bound to the networks ${bounds}, and the request came from elsewhere`,
      change: `Send it from one of ${bounds}`,
    }
  }
  return { rule: 'token-unknown', because: 'the token that was sent is not known here', change }
}

interface Traces {
  /** As it was last seen. */
  readonly row?: Token
  readonly deletedBy?: { readonly id: string; readonly at: number }
}

/** What earlier requests tell of a token that is there no more. */
function findTraces(query: ExplainedRequest, text: string): Traces {
  for (const { id, at, caller, changes } of query.earlier()) {
    const change = changes.findLast(({ table, key }) => table === 'secrets.tokens' && key === text)
    // Rows of that table are tokens, and callers of this API are noted by them.
    if (change?.after !== undefined) return { row: change.after as Token }
    if (change !== undefined) return { row: change.before as Token, deletedBy: { id, at } }
    const known = caller as Token | undefined
    if (known?.id === text) return { row: known }
  }
  return {}
}
