import type { Asked, Diagnosis } from './explains.ts'

/** Whose a header with a token is. */
const owners: Readonly<Record<string, string>> = {
  'x-secrets-token': 'secrets',
  'x-vault-token': 'secrets',
  'x-mesh-token': 'mesh',
  'x-consul-token': 'mesh',
  'x-sched-token': 'scheduler',
  'x-nomad-token': 'scheduler',
}

/**
 * No token was sent, or in a header of another API.
 *
 * @param header the one that is read, as documents write it
 */
export function tokenMissing({ headers }: Asked, api: string, header: string): Diagnosis {
  const change = `Send a token in ${header}`
  const other = Object.keys(owners).find((name) => owners[name] !== api && name in headers)
  if (other === undefined) {
    return { rule: 'token-missing', because: `no token was sent: ${header} is missing`, change }
  }
  return {
    rule: 'token-in-wrong-header',
    because: `the token stands in ${other}, a header of the ${owners[other]} API; this API reads ${header}`,
    change,
    request: { headers: { [header.toLowerCase()]: String(headers[other]), [other]: undefined } },
  }
}
