import type { Diagnosis, ExplainedRequest } from './api-explanations.ts'

/** Whose a header with a token is. */
const headerOwners: Readonly<Record<string, string>> = {
  'x-secrets-token': 'secrets',
  'x-vault-token': 'secrets',
  'x-mesh-token': 'mesh',
  'x-consul-token': 'mesh',
  'x-sched-token': 'scheduler',
  'x-nomad-token': 'scheduler',
}

/** Says which scheme credentials have, if any. */
function schemeText(authorization: string): string {
  const [scheme = '', ...rest] = authorization.split(' ')
  return rest.length === 0 ? '' : `, its scheme is ${scheme}`
}

/**
 * No token was sent, or in a header of another API, or with another scheme than Bearer.
 *
 * @param header the one that is read, as documents write it
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
    because: `the token stands in ${otherHeader}, a header of the ${headerOwners[otherHeader]} API; this API reads ${header}`,
    change,
    request: {
      headers: { [header.toLowerCase()]: String(headers[otherHeader]), [otherHeader]: undefined },
    },
  }
}
