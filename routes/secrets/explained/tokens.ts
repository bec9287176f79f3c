import { formatTimestamp } from '../../../state/kernel/time.ts'
import { type Token, tokens } from '../../../state/secrets/tokens/rows.ts'
import type { Asked, Diagnosis } from '../../http/explains.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'

/** Headers of the other APIs, which clients of several send by mistake. */
const headersOfOthers: Readonly<Record<string, string>> = {
  'x-mesh-token': 'mesh',
  'x-consul-token': 'mesh',
  'x-sched-token': 'scheduler',
  'x-nomad-token': 'scheduler',
}

/** Why a token was not taken (1-secrets-decisions.md section 1, Token). */
export function tokenRefused(asked: Asked, dialect: SecretsDialect): Diagnosis {
  const { token: text } = asked
  return text === undefined ? missing(asked, dialect) : { ...fateOf(asked, text), spec }
}

const spec = '1-secrets-decisions.md › section 1, Token'

function missing({ headers }: Asked, { headerPrefix }: SecretsDialect): Diagnosis {
  const wanted = `${headerPrefix}Token`
  const change = `Send a token in ${wanted}`
  const [other] = Object.keys(headersOfOthers).filter((name) => headers[name] !== undefined)
  if (other !== undefined) {
    return {
      rule: 'token-in-wrong-header',
      because: `the token stands in ${other}, a header of the ${headersOfOthers[other]} API; this API reads ${wanted}`,
      change,
      request: { headers: { [wanted.toLowerCase()]: String(headers[other]), [other]: undefined } },
      spec,
    }
  }
  return { rule: 'token-missing', because: `no token was sent: ${wanted} is missing`, change, spec }
}

/** What became of a token, as far as state and journal know. */
function fateOf(asked: Asked, text: string): Pick<Diagnosis, 'rule' | 'because' | 'change'> {
  const change = 'Send a token that is valid; log in again or make a new one'
  const kept = asked.world.table(tokens).get(text)
  const { row, deletedBy } = traceOf(asked, text)
  const last = kept ?? row
  const name = last === undefined ? '' : ` ${last.display_name}`
  if (last !== undefined && last.expire_time !== null && last.expire_time <= asked.at) {
    const when = formatTimestamp(last.expire_time)
    return { rule: 'token-expired', because: `the token${name} expired at ${when}`, change }
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
function traceOf(asked: Asked, text: string): Traces {
  for (const { id, at, caller, changes } of asked.earlier()) {
    const change = changes.findLast(({ table, key }) => table === 'secrets.tokens' && key === text)
    // Rows of that table are tokens, and callers of this API are noted by them.
    if (change?.after !== undefined) return { row: change.after as Token }
    if (change !== undefined) return { row: change.before as Token, deletedBy: { id, at } }
    const known = caller as Token | undefined
    if (known?.id === text) return { row: known }
  }
  return {}
}
