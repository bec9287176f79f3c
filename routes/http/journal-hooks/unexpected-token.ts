import type { Diagnosis, ExplainedRequest } from './api-explanations.ts'

/** Names of the APIs that read the token headers, by header. */
const headerOwners: Readonly<Record<string, string>> = {
  'x-secrets-token': 'secrets',
  'x-vault-token': 'secrets',
  'x-mesh-token': 'mesh',
  'x-consul-token': 'mesh',
  'x-sched-token': 'scheduler',
  'x-nomad-token': 'scheduler',
}

/**
 * Formats the scheme of an `Authorization` header for a diagnosis. Returns an empty string if there
 * is no scheme.
 */
function schemeText(authorization: string): string {
  const [scheme = '', ...rest] = authorization.split(' ')
  return rest.length === 0 ? '' : `, but has the scheme ${scheme}`
}

/**
 * Diagnoses a missing token: the request had no token, had a token in the header of another API, or
 * used a scheme other than Bearer.
 *
 * @param header token header of the API, in the spelling of its documents
 */
export function diagnoseMissingToken(
  { headers }: ExplainedRequest,
  api: string,
  header: string,
): Diagnosis {
  const change = `Send a token in ${header}`
  const otherHeader = Object.keys(headerOwners).find(
    (name) => headerOwners[name] !== api && name in headers,
  )
  const { authorization } = headers
  if (otherHeader === undefined && authorization !== undefined) {
    const because = `Authorization is not "Bearer <token>"${schemeText(String(authorization))}`
    return { rule: 'token-scheme-wrong', because, change: `Send a token in ${header}` }
  }
  if (otherHeader === undefined) {
    return { rule: 'token-missing', because: `no token was sent: ${header} is missing`, change }
  }
  return {
    rule: 'token-in-wrong-header',
    because: `the request has the token in ${otherHeader}, a header of the ${headerOwners[otherHeader]} API; this API reads ${header}`,
    change,
    request: {
      headers: { [header.toLowerCase()]: String(headers[otherHeader]), [otherHeader]: undefined },
    },
  }
}

/** A token that was found in the state or in the changes of earlier requests. */
interface TokenHistory<Token> {
  /** The row of the token; undefined if no row was found. */
  readonly row?: Token
  /** ID of the request that deleted the token. */
  readonly deletedBy?: string
}

/**
 * Searches the changes of earlier requests for a token that the state no longer contains. Returns
 * an empty history if no request changed the token.
 *
 * @param table full name of the table of tokens
 */
export function findDeletedToken<Token>(
  request: ExplainedRequest,
  table: string,
  matches: (row: Token) => boolean,
): TokenHistory<Token> {
  for (const { id, changes } of request.earlier()) {
    for (const change of changes.filter((each) => each.table === table)) {
      // The cast is safe, because all rows of the table of tokens have this type.
      const row = (change.after ?? change.before) as Token
      if (matches(row)) return change.after === undefined ? { row, deletedBy: id } : { row }
    }
  }
  return {}
}

/**
 * Diagnoses a text that is not a known token. `isAccessor` means that the text is an AccessorID.
 */
export function diagnoseUnknownToken(isAccessor: boolean): Diagnosis {
  const change = validTokenHint
  return isAccessor
    ? {
        rule: 'token-is-accessor',
        because: 'the request has the AccessorID of a token instead of its SecretID',
        change,
      }
    : {
        rule: 'token-unknown',
        because: 'the token that was sent does not exist in this world',
        change,
      }
}

/** Diagnoses a token that no longer exists, because it expired or because a request deleted it. */
export function diagnosePastToken(
  name: string,
  past: { readonly expiredAt: string } | { readonly deletedBy: string },
): Diagnosis {
  return 'expiredAt' in past
    ? {
        rule: 'token-expired',
        because: `the token ${name} expired at ${past.expiredAt}`,
        change: validTokenHint,
      }
    : {
        rule: 'token-revoked',
        because: `the token ${name} was deleted by the request ${past.deletedBy}`,
        change: validTokenHint,
      }
}

const validTokenHint = 'Send the SecretID of a valid token'
