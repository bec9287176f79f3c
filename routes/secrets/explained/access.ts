import { type AccessRequest, capabilitiesOf } from '../../../state/secrets/policies/acl.ts'
import type { Token } from '../../../state/secrets/tokens/rows.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'
import { targetOf } from './request-target.ts'

const spec = 'behaviour/secrets#policies'

/** Names the capability that a token lacks, the path, and what its policies grant there. */
export function explainMissingCapability(query: ExplainedRequest): Diagnosis | undefined {
  const { world, caller, refusal } = query
  // Callers of this API are noted by the rows of their tokens.
  const token = caller as Token | undefined
  // The dispatcher says what it asked for.
  const access = refusal?.details['access'] as AccessRequest | undefined
  if (token === undefined) return undefined
  const held = token.policies.length === 0 ? 'no policies' : `policies ${token.policies.join(', ')}`
  if (access === undefined) return explainForeignToken(query, token)
  const { operation, path, sudo } = access
  const granted = capabilitiesOf(world, token, path)
  const wanted = [operation, ...(sudo ? ['sudo'] : [])]
  const missing = wanted.filter((each) => !granted.some((has) => has === each))
  if (missing.length === 0) {
    return {
      rule: 'parameters-denied',
      because: `the ${held} of the token grant ${operation} at ${path}, but not with these parameters or this wrapping`,
      change: `Send what the rule for ${path} allows, or change that rule`,
      spec,
    }
  }
  const grants = granted[0] === 'deny' ? 'nothing' : granted.join(', ')
  const quoted = missing.map((each) => `"${each}"`).join(', ')
  return {
    because: `the token lacks the capability ${missing.join(' and ')} at ${path}: its ${held} grant ${grants} there`,
    change: `Give one of its policies: path "${path}" { capabilities = [${quoted}] }`,
    spec,
  }
}

function explainForeignToken(query: ExplainedRequest, token: Token): Diagnosis {
  const { namespace } = targetOf(query)
  const tokenNamespace = token.namespace_path
  return {
    rule: 'token-of-other-namespace',
    because: `the token belongs to the namespace ${tokenNamespace} and does not work in ${namespace.path === '' ? 'the root namespace' : namespace.path}`,
    change: `Send it to the namespace ${tokenNamespace}, or use a token of a namespace above`,
    spec,
  }
}
