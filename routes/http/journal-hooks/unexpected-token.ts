import type { Diagnosis, ExplainedRequest } from './api-explanations.ts'

/** Owners of token headers: the API that reads each header. */
const headerOwners: Readonly<Record<string, string>> = {
  'x-secrets-token': 'secrets',
  'x-vault-token': 'secrets',
  'x-mesh-token': 'mesh',
  'x-consul-token': 'mesh',
  'x-sched-token': 'scheduler',
  'x-nomad-token': 'scheduler',
}

/** Formats the scheme of credentials, if they have one. */
function schemeText(authorization: string): string {
  const [scheme = '', ...rest] = authorization.split(' ')
  return rest.length === 0 ? '' : `, its scheme is ${scheme}`
}

/**
 * Diagnoses a missing token: none was sent, or it came in the header of another API or with a
 * scheme other than Bearer.
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
    because: `the token stands in ${otherHeader}, a header of the ${headerOwners[otherHeader]} API; this API reads ${header}`,
    change,
    request: {
      headers: { [header.toLowerCase()]: String(headers[otherHeader]), [otherHeader]: undefined },
    },
  }
}
